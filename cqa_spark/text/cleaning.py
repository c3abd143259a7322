"""Cleans the raw texts of a dump: removes markup, and replaces links, images and emoticons by tokens.

Each step is one native expression; ``clean`` applies them in order. Bodies can be megabytes long or malicious, so every
pattern must run in linear time: if an end may be missing, a single search for it must serve all starts. Groups are
possessive, because Java implements other repetitions by recursion, which overflows the stack on long texts.
"""

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.text.scripts import spell_alike

BLOCK_TAGS = "p|br|div|li|ul|ol|dl|dt|dd|table|tr|td|h[1-6]|blockquote|pre|hr"
TOP_DOMAINS = "com|net|org|info|edu|gov|qa"
WEB_ADDRESS = r"(?:https?://|www\.)"
NOT_IN_WORD_BEFORE = r"(?<![\p{L}\p{N}])"
NOT_IN_WORD_AFTER = r"(?![\p{L}\p{N}])"
IN_ADDRESS = r"[^\s<>\x22\x27)\]]"
EMAIL = r"(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]++@[\p{L}\p{N}-]++(?:\.[\p{L}\p{N}-]++)++"
# The content of the element named by the first group, without its end and without a second start.
WITHIN_ELEMENT = r"[^<]*+(?:<(?!\1\b|/\1\s*+>)[^<]*+)*+"
# Labels of a host name with their dots: up to 63 characters each (RFC 1035, section 2.3.4); 30 exceed any real link.
LABELS = r"(?:[a-z0-9-]{1,63}+\.){1,30}"

# Eyes, an optional tear or nose, a mouth. A letter or slash as mouth counts only if the emoticon is a separate word,
# and an opening bracket only if no word follows, so that "D:Drive", "1:(a)" and "and:/or" do not match. "8)", "XP" and
# "=3" are excluded, because in forums they are mostly list items, Windows and sums.
SMILES = (
    r"[:;=]['^]?[-o]?[)\]]+"
    rf"|{NOT_IN_WORD_BEFORE}(?:[:;=]-?[DPp]|[xX]D){NOT_IN_WORD_AFTER}"
    r"|\^_*\^|<3+(?!\d)"
    r"|[\x{1F600}-\x{1F60E}\x{1F617}-\x{1F61D}\x{1F638}-\x{1F63B}\x{1F642}\x{1F643}\x{1F917}\x{1F929}\x{1F970}"
    r"\x{263A}\x{2665}\x{2764}\x{1F493}\x{1F495}-\x{1F49F}\x{1F44D}\x{1F44F}]\x{FE0F}?"
)
FROWNS = (
    rf"[:;=]['^]?[-o]?[(\[]+{NOT_IN_WORD_AFTER}"
    rf"|{NOT_IN_WORD_BEFORE}[:=]-?[/\\|](?![\p{{L}}\p{{N}}/])"
    r"|[\x{1F612}-\x{1F616}\x{1F61E}-\x{1F62D}\x{1F63E}\x{1F63F}\x{1F641}\x{2639}\x{1F494}\x{1F44E}]\x{FE0F}?"
)
OTHER_EMOJI = r"[\x{1F000}-\x{1FAFF}\x{2600}-\x{27BF}][\x{FE0F}\x{200D}\x{1F3FB}-\x{1F3FF}]*"


def clean(raw: Column) -> Column:
    """Clean a raw text.

    Args:
        raw: text as in the dump: plain, HTML, or HTML escaped once more.

    Returns:
        Text without markup and with normalised Arabic spelling, with one line per block of the markup. URLs, images,
        e-mail addresses and emoticons are replaced by urltoken, imagetoken, emailtoken, smiletoken, frowntoken and
        emojitoken.
    """
    steps = (
        drop_cut_marker,
        strip_markup,
        unescape,
        strip_markup,
        replace_forum_images,
        straighten_quotes,
        spell_alike,
        replace_emails,
        replace_urls,
        replace_emoticons,
        shorten_repeats,
        separate_words,
        normalise_space,
    )
    return reduce(lambda text, step: step(text), steps, raw)


def drop_cut_marker(text: Column) -> Column:
    """Drop the five dots at the end of texts that the SemEval release truncated at about 1,000 characters."""
    return F.regexp_replace(text, r"\s\.{5}\s*$", "")


def strip_markup(text: Column) -> Column:
    """Remove HTML tags; images and links are replaced by their token, blocks by a line break.

    Text that only resembles a tag, such as ``a < b`` or ``<name@host>``, is kept.
    """
    steps = (
        # Text matched by a start without an end is restored.
        (rf"(?is)<(script|style)\b{WITHIN_ELEMENT}</\1\s*+>|<!--.*?-->|(<!--.*+)", " $2"),
        (r"(?i)<img\s[^<>]*>", " imagetoken "),
        (rf"(?i)<a\s[^<>]*+>\s*+{WEB_ADDRESS}[^<]*+</a>|<a\s(?=[^<>]*?href)[^<>]*+>", " urltoken "),
        (rf"(?i)</?(?:{BLOCK_TAGS})(?:\s[^<>]*)?/?>", "\n"),
        (r"</?[a-zA-Z][a-zA-Z0-9:]*(?:\s[^<>]*)?/?>", ""),
    )
    return reduce(lambda stripped, step: F.regexp_replace(stripped, *step), steps, text)


def unescape(text: Column) -> Column:
    """Replace HTML entities by characters, with the library included in Spark."""
    return F.java_method(F.lit("org.apache.commons.text.StringEscapeUtils"), F.lit("unescapeHtml4"), text)


def replace_forum_images(text: Column) -> Column:
    """Replace the image markup of Drupal and bulletin boards, even if truncated, and the release's IMAGE_LINK."""
    markup = r"(?i)\[img_assist\|[^\]]*(?:\]|$)|\[img\][^\[]*(?:\[/img\]|$)|\bIMAGE_LINK\b"
    return F.regexp_replace(text, markup, " imagetoken ")


def straighten_quotes(text: Column) -> Column:
    """Replace curly quotes and accents used as quotes by straight ones, so that contractions have one spelling."""
    return F.translate(text, "‘’´`“”„", "''''\"\"\"")


def replace_emails(text: Column) -> Column:
    """Replace e-mail addresses."""
    return F.regexp_replace(text, EMAIL, " emailtoken ")


def replace_urls(text: Column) -> Column:
    """Replace addresses of images, then all other web addresses, including bare host names of common domains."""
    start = rf"{NOT_IN_WORD_BEFORE}{WEB_ADDRESS}"
    address = rf"(?i){start}{IN_ADDRESS}++"
    # If the first address of a run is not an image, neither are the addresses within it.
    picture = (
        rf"(?i)(?<!{IN_ADDRESS})(?>({IN_ADDRESS}*?){start})"
        rf"{IN_ADDRESS}+\.(?:jpe?g|png|gif|bmp){NOT_IN_WORD_AFTER}{IN_ADDRESS}*+"
    )
    bare = rf"(?i){NOT_IN_WORD_BEFORE}{LABELS}(?:{TOP_DOMAINS})(?:\.[a-z]{{2}})?{NOT_IN_WORD_AFTER}(?:/[^\s<>]*+)?+"
    without_pictures = F.regexp_replace(text, picture, "$1 imagetoken ")
    return F.regexp_replace(F.regexp_replace(without_pictures, address, " urltoken "), bare, " urltoken ")


def replace_emoticons(text: Column) -> Column:
    """Replace emoticons and emoji by smiletoken, frowntoken or, for all others, emojitoken."""
    kinds = ((FROWNS, " frowntoken "), (SMILES, " smiletoken "), (OTHER_EMOJI, " emojitoken "))
    return reduce(lambda replaced, kind: F.regexp_replace(replaced, *kind), kinds, text)


def shorten_repeats(text: Column) -> Column:
    """Shorten repeated letters to two, repeated punctuation marks to one, and repeated dots to an ellipsis."""
    letters = F.regexp_replace(text, r"(?i)(\p{L})\1{2,}", "$1$1")
    dots = F.regexp_replace(letters, r"\.{2,}|…+", " … ")
    return F.regexp_replace(dots, r"([!?,;:*=~_#+|-])\1+", "$1")


def separate_words(text: Column) -> Column:
    """Insert a blank between words joined by punctuation, as in ``good?yes``, ``QR/month``, ``end.Then``."""
    marks = F.regexp_replace(text, r"(?<=[\p{L}\p{N}])([?!;:,/&|()؟؛،]+)(?=\p{L})", " $1 ")
    return F.regexp_replace(marks, r"(?<=\p{L}{2})\.(?=\p{L}{2})", ". ")


def normalise_space(text: Column) -> Column:
    """Collapse blanks and line breaks and trim the ends; control characters count as blanks."""
    blanks = F.regexp_replace(text, r"[\p{Z}\p{Cc}\x{200B}\x{FEFF}&&[^\n]]+", " ")
    return F.regexp_replace(F.regexp_replace(blanks, r" ?\n[\n ]*", "\n"), r"^[ \n]++|(?<![ \n])[ \n]++$", "")
