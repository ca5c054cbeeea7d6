package assay.compiler;

import com.sun.tools.javac.api.JavacTaskPool;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * A compiler that stays warm. It runs nothing of what it compiles: no annotation processor, no
 * plugin.
 *
 * <p>Reads requests from standard input and writes answers to standard output, each after its
 * length in four bytes. Texts are UTF-8 after their lengths. A request: the class path; the number
 * of units, and the path and the text of each; the method that these units test ("" for none) and
 * its number of parameters (see CopiedCalls); the number and the names of the first unit's imports,
 * of the classes that the units declare, and of further imports (see Imports). An answer: whether
 * all compiled; the number of diagnostics, and the path, line, column and words of each; the number
 * of classes, and of each its name with slashes and its bytes; the imports that the first unit got.
 */
public final class Compiler {
    private static final int MOST_DIAGNOSTICS = 20;
    private static final int MOST_WORDS = 1000;
    // The kit's classes stay as they are; those of a run change under the same names.
    private static final String KIT = "/judge/kit/classes.jar";

    private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    private final Map<String, Outputs> managers = new HashMap<>();
    private final Map<String, JavacTaskPool> pools = new HashMap<>();
    private final String modules;

    private Compiler(String modules) {
        this.modules = modules;
    }

    /** The argument: the modules that programs may use. */
    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new FileInputStream(FileDescriptor.in));
        DataOutputStream out = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(System.err);
        Compiler compiler = new Compiler(arguments[0]);
        while (true) {
            byte[] request;
            try {
                request = in.readNBytes(in.readInt());
            } catch (EOFException e) {
                return;
            }
            byte[] answer = compiler.answer(request);
            out.writeInt(answer.length);
            out.write(answer);
            out.flush();
        }
    }

    private byte[] answer(byte[] request) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(request));
        String classPath = text(in);
        List<Unit> units = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            units.add(new Unit(text(in), text(in)));
        }
        CopiedCalls calls = new CopiedCalls(text(in), in.readInt());
        List<String> own = texts(in), declared = texts(in), further = texts(in);
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        // A pool's compilers keep the file manager that they began with.
        Outputs outputs = manager(classPath);
        outputs.written.clear();
        String added = "";
        for (int at = units.size() - 1; at >= 0 && !further.isEmpty(); at--) {
            List<String> resolving = at == 0 ? own : List.of();
            // Our unit's types are the base's, whatever the answer's classes are called.
            List<String> here = at == 0 ? declared : List.of();
            List<String> names =
                    outputs.imports.added(units.get(at).text, resolving, here, further);
            units.set(at, units.get(at).importing(names));
            added = String.join("; ", names);
        }
        boolean done = classPath.startsWith(KIT) && quicklyCompiled(classPath, units, outputs);
        String failure = "";
        if (!done) {
            outputs.written.clear();
            try {
                done = javac.getTask(nobody(), outputs, said, options(), null, units).call();
            } catch (Throwable e) {
                // A deeply nested text overflows javac's stack, and there is no line to report.
                failure = "the compiler gave up: " + root(e);
            }
        }
        Map<String, byte[]> classes = done ? outputs.classes() : new TreeMap<>();
        calls.change(classes);
        return report(done, said.getDiagnostics(), failure, classes, added);
    }

    private static List<File> files(String classPath) {
        List<File> files = new ArrayList<>();
        for (String each : classPath.split(File.pathSeparator)) {
            files.add(new File(each));
        }
        return classPath.isEmpty() ? List.of() : files;
    }

    /**
     * Reuses what the previous compiler has read of the platform and of what tasks share, which
     * saves most of the work. If this fails, the caller compiles the units again with a new
     * compiler, so that no unit is rejected because of another one.
     */
    private boolean quicklyCompiled(String classPath, List<Unit> units, Outputs outputs) {
        try {
            return pools.computeIfAbsent(classPath, path -> new JavacTaskPool(1))
                    .getTask(nobody(), outputs, ignored -> {}, options(), null, units,
                            task -> task.call());
        } catch (Throwable e) {
            pools.remove(classPath);
            return false;
        }
    }

    private static StringWriter nobody() {
        return new StringWriter();
    }

    private List<String> options() {
        return List.of(
                "-proc:none", "-implicit:none", "-nowarn", "-Xlint:none",
                // Bootstrapping a concatenation costs a short run half of its time.
                "-XDstringConcat=inline", "-Xmaxerrs", "" + MOST_DIAGNOSTICS,
                "--limit-modules", modules);
    }

    private static String root(Throwable error) {
        while (error.getCause() != null) {
            error = error.getCause();
        }
        return error.getClass().getSimpleName();
    }

    /** Kept for each class path, since opening jars takes longer than compiling a class. */
    private Outputs manager(String classPath) {
        return managers.computeIfAbsent(classPath, path -> {
            StandardJavaFileManager made =
                    javac.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);
            try {
                made.setLocation(StandardLocation.CLASS_PATH, files(path));
                made.setLocation(StandardLocation.SOURCE_PATH, List.of());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Outputs(made, new Imports(made, modules));
        });
    }

    private static byte[] report(
            boolean done,
            List<Diagnostic<? extends JavaFileObject>> diagnostics,
            String failure,
            Map<String, byte[]> classes,
            String added)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeBoolean(done);
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>(diagnostics);
        errors.removeIf(each -> each.getKind() != Diagnostic.Kind.ERROR);
        out.writeInt(errors.size() + (failure.isEmpty() ? 0 : 1));
        for (Diagnostic<? extends JavaFileObject> each : errors) {
            JavaFileObject unit = each.getSource();
            boolean isOurs = unit instanceof Unit;
            diagnostic(out, isOurs ? ((Unit) unit).path : "", (int) each.getLineNumber(),
                    isOurs ? ((Unit) unit).column((int) each.getPosition()) : 0,
                    each.getMessage(Locale.ENGLISH));
        }
        if (!failure.isEmpty()) {
            diagnostic(out, "", 0, 0, failure);
        }
        out.writeInt(classes.size());
        for (Map.Entry<String, byte[]> each : classes.entrySet()) {
            put(out, each.getKey().getBytes(StandardCharsets.UTF_8));
            put(out, each.getValue());
        }
        put(out, added.getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    private static void diagnostic(
            DataOutputStream out, String path, int line, int column, String words)
            throws IOException {
        put(out, path.getBytes(StandardCharsets.UTF_8));
        out.writeInt(Math.max(line, 0));
        out.writeInt(column);
        String cut = words.length() > MOST_WORDS ? words.substring(0, MOST_WORDS) : words;
        put(out, cut.getBytes(StandardCharsets.UTF_8));
    }

    private static void put(DataOutputStream out, byte[] content) throws IOException {
        out.writeInt(content.length);
        out.write(content);
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    private static List<String> texts(DataInputStream in) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            texts.add(text(in));
        }
        return texts;
    }

    private static final class Unit extends SimpleJavaFileObject {
        final String path;
        private final String text;

        Unit(String path, String text) {
            super(URI.create("unit:///" + path), Kind.SOURCE);
            this.path = path;
            this.text = text;
        }

        /** With imports on the line of the package, so that other lines keep their numbers. */
        Unit importing(List<String> names) {
            StringBuilder imports = new StringBuilder();
            names.forEach(each -> imports.append(" import ").append(each).append(';'));
            int at = text.indexOf(';') + 1;
            return new Unit(path, text.substring(0, at) + imports + text.substring(at));
        }

        /** The place in its line in code points, from 1; 0 without a place. */
        int column(int at) {
            String before = text.substring(0, Math.max(at, 0));
            int start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
            return at < 0 ? 0 : before.codePointCount(start, at) + 1;
        }

        /** A text may hold several public classes. */
        @Override
        public boolean isNameCompatible(String name, Kind kind) {
            return true;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps in memory what javac writes. */
    private static final class Outputs extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> written = new TreeMap<>();
        private final Imports imports;

        Outputs(JavaFileManager inner, Imports imports) {
            super(inner);
            this.imports = imports;
        }

        Map<String, byte[]> classes() {
            Map<String, byte[]> found = new TreeMap<>();
            written.forEach((name, bytes) -> found.put(name, bytes.toByteArray()));
            return found;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            String path = name.replace('.', '/');
            return new SimpleJavaFileObject(URI.create("class:///" + path), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    written.put(path, bytes);
                    return bytes;
                }
            };
        }

        @Override
        public void close() {
            // The manager below is used again.
        }
    }
}
