// task 0
public static int countVowels(String text) {
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
