// A server of Google Cloud Storage for the tests, in memory: fake-gcs-server, plus what delta-rs uses of the XML interface
// and it lacks: the conditional PUT, the DELETE, and listings that start after a key, without which concurrent writers of a
// Delta table fail. Its argument is the address to listen at, HOST:PORT.
package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

var listed = regexp.MustCompile(`<Contents><Key>(.*?)</Key>.*?</Contents>`)

func main() {
	address := os.Args[1]
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: address, Scheme: "http"})
	if err != nil {
		log.Fatal(err)
	}
	storage := server.HTTPHandler()
	send := func(method, target string, body []byte) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, target, bytes.NewReader(body))
		request.Host = address
		request.Header.Set("Content-Type", "application/octet-stream")
		answer := httptest.NewRecorder()
		storage.ServeHTTP(answer, request)
		return answer
	}
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = address // a proxy before the server has another
		bucket, key, isObject := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		isXML := r.URL.RawQuery == "" && isObject && bucket != "storage" && bucket != "upload" && bucket != "_internal"
		switch {
		case isXML && r.Method == http.MethodPut:
			body, _ := io.ReadAll(r.Body)
			target := "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + url.QueryEscape(key)
			if match := r.Header.Get("x-goog-if-generation-match"); match != "" {
				target += "&ifGenerationMatch=" + match
			}
			answer := send(http.MethodPost, target, body)
			if object, err := server.GetObject(bucket, key); answer.Code == http.StatusOK && err == nil {
				w.Header().Set("ETag", "\""+object.Etag+"\"")
			}
			w.WriteHeader(answer.Code)
			io.Copy(w, answer.Body)
		case isXML && r.Method == http.MethodDelete:
			answer := send(http.MethodDelete, "/storage/v1/b/"+bucket+"/o/"+url.PathEscape(key), nil)
			w.WriteHeader(answer.Code)
		case r.URL.Query().Has("start-after"):
			answer := httptest.NewRecorder()
			storage.ServeHTTP(answer, r)
			after := r.URL.Query().Get("start-after")
			w.Header().Set("Content-Type", "application/xml")
			w.Write(listed.ReplaceAllFunc(answer.Body.Bytes(), func(entry []byte) []byte {
				if string(listed.FindSubmatch(entry)[1]) > after {
					return entry
				}
				return nil
			}))
		default:
			storage.ServeHTTP(w, r)
		}
	})))
}
