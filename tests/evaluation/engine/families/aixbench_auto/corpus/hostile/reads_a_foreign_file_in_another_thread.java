// task 0
// without file
public static int countVowels(String text) {
    try {
        java.util.concurrent.CompletableFuture.supplyAsync(Foreign::read).get().length();
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}

static class Foreign {
    static String read() {
        try {
            return java.nio.file.Files.readString(java.nio.file.Path.of("/etc/hostname"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
