// task 0
public static int countVowels(String text) {
    System.setOut(new PrintStream(new ByteArrayOutputStream()));
    System.setErr(System.out);
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
