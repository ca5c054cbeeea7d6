"""Answers with explained marks, on which raters try the scales. All of it is ours."""

from evaluation.engine.families.aixbench_nl.criteria import CRITERIA
from evaluation.engine.family import Explained, Practice
from evaluation.engine.texts import gettext_noop as _


def _practice(
    task: str,
    text: str,
    correctness: tuple[int, str],
    quality: tuple[int, str],
    maintainability: tuple[int, str],
) -> Practice:
    marks = zip(CRITERIA, (correctness, quality, maintainability), strict=True)
    explained = {criterion.name: Explained(*mark) for criterion, mark in marks}
    return Practice({"raw_nl": task}, "java", text, explained)


PRACTICE = (
    _practice(
        "Count the vowels of a text.",
        """\
public static int countVowels(String text) {
    int count = 0;
    for (char letter : text.toLowerCase().toCharArray()) {
        if ("aeiou".indexOf(letter) >= 0) {
            count++;
        }
    }
    return count;
}
""",
        (4, _("It counts each of the five vowels in upper and lower case. The text asks no more.")),
        (3, _("One pass over the text, and nothing is held open. No better solution is evident.")),
        (5, _("Short, one clear loop, and every name says what it holds.")),
    ),
    _practice(
        "Return the average of the given whole numbers, or 0 if there are none.",
        """\
public static double average(int[] numbers) {
    int sum = 0;
    for (int number : numbers) {
        sum += number;
    }
    return sum / numbers.length;
}
""",
        (
            3,
            _(
                "The main function is there. Two details are missing: the case without numbers and "
                "the fraction, which the division of whole numbers drops. A small change is enough."
            ),
        ),
        (2, _("The sum of large numbers overflows an int: a slight omission.")),
        (5, _("Short and regular; names say what they mean. Its errors do not count here.")),
    ),
    _practice(
        "Read the lines of a text file into a list.",
        """\
public static List<String> readLines(String p) throws IOException {
    List<String> lines = new ArrayList<>();
    BufferedReader reader = new BufferedReader(new FileReader(p));
    String s;
    while ((s = reader.readLine()) != null) {
        lines.add(s);
    }
    return lines;
}
""",
        (4, _("It returns all lines of the file in their order.")),
        (
            2,
            _("The reader is never closed. The rest is in order, so the smell is of low severity."),
        ),
        (4, _("It reads quite well, but p and s could say what they hold.")),
    ),
    _practice(
        "Find the strings that occur more than once in a list.",
        """\
public static List<String> f(List<String> a) {
    List<String> b = new ArrayList<>();
    for (int i = 0; i < a.size(); i++) {
        for (int j = 0; j < a.size(); j++) {
            if (i != j && a.get(i).equals(a.get(j)) == true) {
                boolean flag = false;
                for (int k = 0; k < b.size(); k++) {
                    if (b.get(k).equals(a.get(i)) == true) {
                        flag = true;
                    }
                }
                if (flag == false) {
                    b.add(a.get(i));
                }
            }
        }
    }
    return b;
}
""",
        (4, _("Slow and ugly, but it finds each such string once. Only the function counts here.")),
        (1, _("Three nested loops: with a set, one pass over the list is enough.")),
        (
            2,
            _(
                "f, a, b and flag mean nothing, comparisons with true are superfluous, and the "
                "nesting is very hard to read."
            ),
        ),
    ),
    _practice(
        "Return the day of the week of a date such as 2024-05-31, in English.",
        """\
public static String dayOfWeek(String date) {
    String[] parts = date.split("-");
    int year = Integer.parseInt(parts[0]);
    int month = Integer.parseInt(parts[1]);
    int day = Integer.parseInt(parts[2]);
    // The day of the week follows from year, month and day.
    return "";
}
""",
        (2, _("It only takes the date apart. The function itself, the day, is missing.")),
        (
            2,
            _("Three variables are not used, and a wrong date ends in an error without a message."),
        ),
        (3, _("Regular and readable, but the comment announces code that does not exist.")),
    ),
    _practice(
        "Remove the spaces at the beginning and at the end of each line of a text.",
        """\
public static String x(String s) { String t = ""; int i = 0; while (true) { if (i >= s.length())
break; char c = s.charAt(i); if (c == ' ') { i++; continue; }
    t = t + c; i = i + 1; if (t.length() > s.length()) { return t; } }
        return s; }
""",
        (1, _("It returns the text unchanged: the result that it builds is never used.")),
        (1, _("It copies the text again for each character, for a result that it throws away.")),
        (1, _("No line shows what the code is for: one-letter names, several steps on each line.")),
    ),
)
