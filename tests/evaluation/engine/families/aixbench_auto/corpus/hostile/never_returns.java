// task 0
public static int countVowels(String text) {
    while (true) {
    }
}
