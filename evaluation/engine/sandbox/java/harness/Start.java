package assay.harness;

import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;

/**
 * Runs one evaluation on one class, and says what it counted.
 *
 * <p>Standard input holds a word that nobody else knows, the evaluation's class, the package and
 * the prefix. What is said goes to the descriptor that was standard output, behind that word, as
 * the last thing that this process does. Everything of it is in local variables: no program has a
 * way to those of another method.
 */
public final class Start {
    private Start() {}

    public static void main(String[] none) throws IOException {
        DataInputStream in = new DataInputStream(new FileInputStream(FileDescriptor.in));
        String word = in.readUTF();
        String evaluation = in.readUTF();
        String basePackage = in.readUTF();
        String prefix = in.readUTF();
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setIn(InputStream.nullInputStream());
        System.setOut(System.err);
        String said = counted(evaluation, basePackage, prefix);
        System.err.flush();
        out.write(("\n" + word + " " + said + "\n").getBytes(StandardCharsets.UTF_8));
        // No hooks, no other threads.
        Runtime.getRuntime().halt(0);
    }

    /** "counted PASSED TOTAL", or "threw CLASS" where the evaluation did not come to its end. */
    private static String counted(String evaluation, String basePackage, String prefix) {
        try {
            Class<?> found = Class.forName(evaluation);
            Object made =
                    found.getConstructor(String.class, String.class)
                            .newInstance(basePackage, prefix);
            int[] pair = (int[]) found.getMethod("evaluation").invoke(made);
            int passed = pair[0];
            int total = pair[1];
            return "counted " + passed + " " + total;
        } catch (InvocationTargetException e) {
            return "threw " + e.getCause().getClass().getName();
        } catch (Throwable e) {
            return "threw " + e.getClass().getName();
        }
    }
}
