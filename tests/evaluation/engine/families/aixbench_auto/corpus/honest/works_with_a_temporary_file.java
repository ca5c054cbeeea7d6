// task 0
public static int countVowels(String text) throws Exception {
    File file = File.createTempFile("words", ".txt");
    file.deleteOnExit();
    java.nio.file.Files.writeString(file.toPath(), text);
    new File("made/here").mkdirs();
    String read = java.nio.file.Files.readString(file.toPath());
    return new File("made/here").exists() && file.delete() && !new File("/no/such/file").exists() && read.equals(text)
            ? (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count() : -1;
}
