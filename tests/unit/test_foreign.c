/* Hostile text on each medium: one list, and what must be on none of them. */
#include "cm.h"

#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "base/utf8.h"

/* Each with what a terminal, HTML, Markdown and a log show. */
static const struct {
    const char *text, *terminal, *html, *markdown, *log;
} hostile[] = {
    {"plain \xc3\xa9 \xf0\x9f\x98\x80", "plain \xc3\xa9 \xf0\x9f\x98\x80", "plain \xc3\xa9 \xf0\x9f\x98\x80",
     "plain \xc3\xa9 \xf0\x9f\x98\x80", "plain \xc3\xa9 \xf0\x9f\x98\x80"},
    {"\33[31mred", "?[31mred", " [31mred", " \\[31mred", " [31mred"},
    {"\33]0;title\7", "?]0;title?", " ]0;title ", " \\]0;title ", " ]0;title "},
    {"a\rb\bc\177", "a?b?c?", "a b c ", "a b c ", "a b c "},
    {"a\nb\tc", "a b c", "a b c", "a b c", "a b c"},
    {"\xc2\x9b"
     "31m",
     "?31m",
     "\xef\xbf\xbd"
     "31m",
     "\xef\xbf\xbd"
     "31m",
     "\xef\xbf\xbd"
     "31m"},
    {"\xe2\x80\xaexe\xe2\x80\xac", "?xe?", "\xef\xbf\xbdxe\xef\xbf\xbd", "\xef\xbf\xbdxe\xef\xbf\xbd",
     "\xef\xbf\xbdxe\xef\xbf\xbd"},
    {"\xe2\x81\xa6y\xe2\x80\x8b\xef\xbb\xbf", "?y??", "\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd",
     "\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xe2\x80\xa8z", "?z", "\xef\xbf\xbdz", "\xef\xbf\xbdz", "\xef\xbf\xbdz"},
    {"\xff\xfe"
     "p\xc3",
     "??p?", "\xef\xbf\xbd\xef\xbf\xbdp\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbdp\xef\xbf\xbd",
     "\xef\xbf\xbd\xef\xbf\xbdp\xef\xbf\xbd"},
    {"\xed\xa0\x80", "???", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xef\xbf\xbf", "?", "\xef\xbf\xbd", "\xef\xbf\xbd", "\xef\xbf\xbd"},
    {"<script>\"&", "<script>\"&", "&lt;script&gt;&quot;&amp;", "\\<script\\>\"&", "<script>\"&"},
    {"::error::x", "?:error::x", "::error::x", "::error::x", "::error::x"},
    {" \n##[group]", "  ?#[group]", "  ##[group]", "  ##\\[group\\]", "  ##[group]"},
    {"##vso[x", "?#vso[x", "##vso[x", "##vso\\[x", "##vso[x"},
    {"::: \"memory\"", "::: \"memory\"", "::: &quot;memory&quot;", "::: \"memory\"", "::: \"memory\""},
    {"a::b && c", "a::b && c", "a::b &amp;&amp; c", "a::b && c", "a::b && c"},
    {"&#x202e;", "&#x202e;", "&amp;#x202e;", "\\&#x202e;", "&#x202e;"},
    {"&lrm;", "&lrm;", "&amp;lrm;", "\\&lrm;", "&lrm;"},
    {"]]>", "]]>", "]]&gt;", "\\]\\]\\>", "]]>"},
    {"|[x](y)`*_\\", "|[x](y)`*_\\", "|[x](y)`*_\\", "\\|\\[x\\](y)\\`\\*\\_\\\\", "|[x](y)`*_\\"},
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static void log_line(const char *s, FILE *out) {
    foreign_log(s, false, out);
}

static void log_word(const char *s, FILE *out) {
    foreign_log(s, true, out);
}

static void on_terminal(const char *s, FILE *out) {
    assert_int_equal(foreign_terminal(s, out), foreign_columns(s));
}

/* What is printed, to be freed: UTF-8 of plain characters only. */
static char *printed(void (*print)(const char *s, FILE *out), const char *s) {
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    print(s, f);
    fclose(f);
    for (size_t at = 0, len; at < n; at += len) {
        uint32_t c;
        len = utf8_decode(text + at, n - at, &c);
        assert_true(len > 0 && foreign_is_plain(c));
    }
    return text;
}

static void check(void (*print)(const char *s, FILE *out), const char *s, const char *want) {
    char *text = printed(print, s);
    assert_string_equal(text, want);
    free(text);
}

static void hostile_text_stays_text(void **state) {
    (void)state;
    for (int k = 0; k < HOSTILE; k++) {
        check(on_terminal, hostile[k].text, hostile[k].terminal);
        check(foreign_html, hostile[k].text, hostile[k].html);
        check(foreign_markdown, hostile[k].text, hostile[k].markdown);
        check(log_line, hostile[k].text, hostile[k].log);
    }
}

static void words_and_links(void **state) {
    (void)state;
    check(log_word, "a b\nc", "a_b_c");
    check(foreign_markdown_link, "a b>)\n<|%\\.yaml", "a b%3E) %3C%7C%25%5C.yaml");
    for (int k = 0; k < HOSTILE; k++) {
        char *link = printed(foreign_markdown_link, hostile[k].text);
        assert_null(strpbrk(link, "<>|\\"));
        free(link);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_text_stays_text),
        cmocka_unit_test(words_and_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
