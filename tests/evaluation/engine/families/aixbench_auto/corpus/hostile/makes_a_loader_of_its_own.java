// task 0
// without class_loader
public static int countVowels(String text) {
    try {
        new java.net.URLClassLoader(new java.net.URL[0]).getURLs();
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
