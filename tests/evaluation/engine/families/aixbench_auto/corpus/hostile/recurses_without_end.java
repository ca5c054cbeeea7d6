// task 0
public static int countVowels(String text) {
    return countVowels(text + text.length());
}
