// task 0
// without exit
public static int countVowels(String text) {
    try {
        Runtime.getRuntime().addShutdownHook(new Thread());
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
