// task 0
public static int countVowels(String text) {
    return Helper.vowels(text);
}
