// task 0
public static int countVowels(String text) {
    System.out.println("working ".repeat(100));
    Thread thread = new Thread(() -> {
        while (true) {
            Thread.yield();
        }
    });
    thread.start();
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
