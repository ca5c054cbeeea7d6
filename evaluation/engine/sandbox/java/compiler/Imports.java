package assay.compiler;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileManager.Location;
import javax.tools.JavaFileObject;
import javax.tools.StandardLocation;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * Imports for the names that a unit leaves unresolved. Each is of a single class: an import on
 * demand could make a name ambiguous that the unit's own imports resolve.
 */
final class Imports {
    private static final Pattern WORD = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*+");
    private static final String STATIC = "static ";

    private final JavaFileManager files;
    private final Set<String> modules;
    // The files of the platform's classes by package and name.
    private final Map<String, Map<String, JavaFileObject>> platform = new HashMap<>();
    private final Map<String, Map<String, JavaFileObject>> listed = new HashMap<>();

    Imports(JavaFileManager files, String modules) {
        this.files = files;
        this.modules = Set.of(modules.split(","));
    }

    /**
     * Imports of `further` that resolve a word of the text, as names with "static " before a static
     * import's. No word is resolved that the text's own imports, java.lang or `declared`, its
     * classes, resolve.
     */
    List<String> added(String text, List<String> own, List<String> declared, List<String> further)
            throws IOException {
        // Classes of the class path change between requests.
        listed.clear();
        Set<String> words = new LinkedHashSet<>();
        for (Matcher word = WORD.matcher(text); word.find(); ) {
            words.add(word.group());
        }
        words.removeAll(declared);
        List<String> resolving = new ArrayList<>(List.of("java.lang.*"));
        for (String each : own) {
            words.remove(last(each));
            resolving.add(each.startsWith(STATIC) ? each.substring(STATIC.length()) : each);
        }
        List<String> added = new ArrayList<>();
        for (String each : further) {
            String name = each.startsWith(STATIC) ? each.substring(STATIC.length()) : "";
            boolean isUsed = last(name).equals("*") || words.contains(last(name));
            if (!name.isEmpty() && isUsed && resolves(place(name), last(place(name)))) {
                added.add(each);
            }
        }
        for (String word : words) {
            if (resolving.stream().noneMatch(each -> resolves(each, word))) {
                further.stream().filter(each -> resolves(each, word)).findFirst()
                        .ifPresent(each -> added.add(place(each) + "." + word));
            }
        }
        return added;
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String place(String name) {
        return name.substring(0, Math.max(name.lastIndexOf('.'), 0));
    }

    /** Whether an import that is not static makes a public class known by this word. */
    private boolean resolves(String imported, String word) {
        String place = place(imported);
        if (!last(imported).equals("*") && !last(imported).equals(word)) {
            return false;
        }
        JavaFileObject file = classes(place).get(word);
        if (file == null) {
            file = classes(place(place)).get(last(place) + "$" + word);
        }
        if (file == null) {
            return false;
        }
        try (InputStream in = file.openInputStream()) {
            return (new ClassReader(in.readAllBytes()).getAccess() & Opcodes.ACC_PUBLIC) != 0;
        } catch (IOException e) {
            return false;
        }
    }

    private Map<String, JavaFileObject> classes(String place) {
        return listed.computeIfAbsent(place, asked -> {
            try {
                if (!platform.containsKey(asked)) {
                    Map<String, JavaFileObject> found = new HashMap<>();
                    for (Set<Location> each :
                            files.listLocationsForModules(StandardLocation.SYSTEM_MODULES)) {
                        for (Location module : each) {
                            if (modules.contains(files.inferModuleName(module))) {
                                list(module, asked, found);
                            }
                        }
                    }
                    platform.put(asked, found);
                }
                Map<String, JavaFileObject> found = new HashMap<>(platform.get(asked));
                list(StandardLocation.CLASS_PATH, asked, found);
                return found;
            } catch (IOException e) {
                return Map.of();
            }
        });
    }

    private void list(Location location, String place, Map<String, JavaFileObject> found)
            throws IOException {
        for (JavaFileObject each :
                files.list(location, place, Set.of(JavaFileObject.Kind.CLASS), false)) {
            found.put(last(files.inferBinaryName(location, each)), each);
        }
    }
}
