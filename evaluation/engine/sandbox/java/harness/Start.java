package assay.harness;

import assay.harness.copies.Copies;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.security.Policy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Runs one evaluation on one class and reports its counts.
 *
 * <p>Standard input is a socket. It delivers a random word, the evaluation's name, the package, the
 * prefix, the kinds of permissions that the task has, and the evaluation's classes. The result is
 * sent back over it after the word, as the last action of this process. All of this is in local
 * variables, because no program can reach those of another method.
 */
public final class Start {
    private Start() {}

    public static void main(String[] none) throws IOException {
        DataInputStream in =
                new DataInputStream(
                        new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16));
        String word = in.readUTF();
        String evaluation = in.readUTF();
        String basePackage = in.readUTF();
        String prefix = in.readUTF();
        Set<String> permitted = new HashSet<>();
        for (int left = in.readInt(); left > 0; left--) {
            permitted.add(in.readUTF());
        }
        Map<String, byte[]> classes = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            classes.put(in.readUTF().replace('/', '.'), in.readNBytes(in.readInt()));
        }
        FileOutputStream out = new FileOutputStream(FileDescriptor.in);
        System.setIn(InputStream.nullInputStream());
        System.setErr(System.out);
        ClassLoader loader = Evaluations.loader(classes, Start.class.getClassLoader());
        Guard guard = new Guard(permitted);
        Policy.setPolicy(new Trusted());
        System.setSecurityManager(guard);
        String said = counted(loader, evaluation, basePackage, prefix);
        System.out.flush();
        said = "\n" + word + " " + said + "\n" + word + " denied " + guard.denied() + "\n";
        String deciding = Copies.deciding();
        said += deciding.isEmpty() ? "" : "\n" + word + " deciding " + deciding + "\n";
        said += Copies.changed() ? "\n" + word + " changed\n" : "";
        out.write(said.getBytes(StandardCharsets.UTF_8));
        // Runs no shutdown hooks and waits for no other threads.
        Runtime.getRuntime().halt(0);
    }

    /** "counted PASSED TOTAL", or "threw CLASS" if the evaluation did not end normally. */
    private static String counted(
            ClassLoader loader, String evaluation, String basePackage, String prefix) {
        try {
            Class<?> found = Class.forName(evaluation, true, loader);
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
