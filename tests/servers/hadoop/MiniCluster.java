import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * HDFS, and YARN if there are node managers, in one process on loopback. Writes conf/ in its folder when it is ready.
 * Arguments: folder, number of node managers, MB and cores of each.
 */
public class MiniCluster {
    private static final String[] TOLD_ABOUT_YARN = {
        "yarn.resourcemanager.address", "yarn.resourcemanager.scheduler.address",
        "yarn.resourcemanager.resource-tracker.address", "yarn.resourcemanager.admin.address",
        "yarn.resourcemanager.webapp.address"};

    public static void main(String[] args) throws Exception {
        Path home = Path.of(args[0]).toAbsolutePath();
        int nodes = Integer.parseInt(args[1]);
        YarnConfiguration conf = new YarnConfiguration();
        conf.set("hdfs.minidfs.basedir", home.resolve("dfs").toString());
        conf.setBoolean("dfs.permissions.enabled", false);
        conf.set("dfs.datanode.directoryscan.throttle.limit.ms.per.sec", "-1");
        conf.set("yarn.nodemanager.resource.memory-mb", args[2]);
        conf.set("yarn.nodemanager.resource.cpu-vcores", args[3]);
        conf.set("yarn.scheduler.minimum-allocation-mb", "256");
        conf.set("yarn.scheduler.maximum-allocation-mb", args[2]);
        // Memory is checked as on a real cluster; virtual memory is not, as Java 17 reserves far more than it uses.
        conf.setBoolean("yarn.minicluster.control-resource-monitoring", true);
        conf.setBoolean("yarn.nodemanager.pmem-check-enabled", true);
        conf.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
        // An application's driver in the cluster may take all of its queue (default: a tenth).
        conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0");
        conf.set("yarn.scheduler.capacity.resource-calculator",
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
        // A nearly full disk of the developer's machine makes no node unhealthy.
        conf.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.9");

        MiniDFSCluster dfs = new MiniDFSCluster.Builder(conf).numDataNodes(1).format(true).build();
        dfs.waitClusterUp();
        conf.set("fs.defaultFS", dfs.getURI().toString());
        // Clients get the few settings that tell where the services are, not the hundreds of defaults.
        Configuration told = new Configuration(false);
        told.set("fs.defaultFS", dfs.getURI().toString());

        if (nodes > 0) {
            MiniYARNCluster yarn = new MiniYARNCluster("cqa", nodes, 1, 1);
            yarn.init(conf);
            yarn.start();
            if (!yarn.waitForNodeManagersToConnect(60_000)) {
                throw new IllegalStateException("no node manager has come within a minute");
            }
            for (String name : TOLD_ABOUT_YARN) {
                told.set(name, yarn.getConfig().get(name));
            }
            Runtime.getRuntime().addShutdownHook(new Thread(yarn::stop));
        }
        Path unfinished = Files.createDirectories(home.resolve("conf.unfinished"));
        for (String name : new String[] {"core-site.xml", "yarn-site.xml"}) {
            try (OutputStream out = new FileOutputStream(unfinished.resolve(name).toFile())) {
                told.writeXml(out);
            }
        }
        Files.move(unfinished, home.resolve("conf"), StandardCopyOption.ATOMIC_MOVE);
        Thread.sleep(Long.MAX_VALUE);
    }
}
