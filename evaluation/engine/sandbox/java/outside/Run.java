package assay.outside;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One evaluation on one class, whose methods run in another JVM. */
final class Run implements Runnable {
    private final String evaluation;
    private final String place;
    private final String prefix;
    private final String standIn;
    private final String base;
    private final RunLoader loader;
    private final Map<String, byte[]> classes = new HashMap<>();
    private final Bridge bridge;
    private String report = "threw java.lang.Error";

    /**
     * Reads a request: the class path; the evaluation, and the package and the prefix that it gets;
     * the names of the candidate's class and of its base; the number of classes that cross by their
     * fields, and their names; the number of the evaluation's classes, and the name and the bytes
     * of each.
     */
    Run(Frames frames, DataInputStream in) throws IOException {
        List<URL> path = urls(text(in));
        evaluation = text(in);
        place = text(in);
        prefix = text(in);
        standIn = text(in);
        base = text(in);
        List<String> fields = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            fields.add(text(in));
        }
        for (int left = in.readInt(); left > 0; left--) {
            classes.put(text(in).replace('/', '.'), in.readNBytes(in.readInt()));
        }
        loader = new RunLoader(path.toArray(new URL[0]), classes, this);
        bridge = new Bridge(frames, new Kinds(loader, fields), loader);
    }

    private static List<URL> urls(String path) throws MalformedURLException {
        List<URL> found = new ArrayList<>();
        for (String each : path.split(":")) {
            found.add(new URL("file://" + each));
        }
        return found;
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    /**
     * "counted PASSED TOTAL"; "threw CLASS" if the evaluation did not end normally; "gone" if the
     * candidate's JVM has ended; "failed WHY" if there can be no verdict, for example because a
     * value is not plain.
     */
    String report() {
        return bridge.failure() == null ? report : bridge.failure();
    }

    @Override
    public void run() {
        try (RunLoader all = loader) {
            Class<?> extended = Class.forName(base, false, all);
            Class<?> made = all.define(standIn, StandIn.of(standIn, extended));
            int[] pair = counted(all);
            boolean asked = bridge.calls() > 0 && Class.forName(standIn, false, all) == made;
            report = asked || pair[0] <= 0 ? "counted " + pair[0] + " " + pair[1]
                    : "failed the evaluation calls no method of the class";
        } catch (InvocationTargetException e) {
            report = "threw " + e.getCause().getClass().getName();
        } catch (Throwable e) {
            report = "threw " + e.getClass().getName();
        }
    }

    private int[] counted(RunLoader all) throws ReflectiveOperationException {
        Class<?> found = Class.forName(evaluation, true, all);
        Object made = found.getConstructor(String.class, String.class).newInstance(place, prefix);
        return ((int[]) found.getMethod("evaluation").invoke(made)).clone();
    }

    ClassLoader loader() {
        return loader;
    }

    Bridge bridge() {
        return bridge;
    }
}
