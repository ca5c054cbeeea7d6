package assay.compiler;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Set;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;

/**
 * Changes an evaluation so that the method that it tests gets copies of its arguments: the method's
 * changes to them no longer reach the evaluation. The candidate's own classes stay as they are, and
 * nothing is thrown that the method itself does not throw.
 */
record Control(String method, int parameters) {
    private static final String COPIES = "assay/harness/control/Copies";
    private static final String BRIDGE = "assay$";

    /**
     * Returns the classes that call the method, changed. Empty if no class calls it, or if it
     * returns nothing: its effects on its arguments are then its result.
     */
    Map<String, byte[]> of(Map<String, byte[]> classes) {
        Map<String, byte[]> changed = new TreeMap<>();
        if (!method.isEmpty()) {
            classes.forEach((name, content) -> change(name, content, changed));
        }
        return changed;
    }

    private void change(String name, byte[] content, Map<String, byte[]> changed) {
        ClassReader reader = new ClassReader(content);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Calls calls = new Calls(writer, name);
        reader.accept(calls, 0);
        if (!calls.bridged.isEmpty()) {
            changed.put(name, writer.toByteArray());
        }
    }

    /** Replaces each call in one class by the call of a static method of the same class. */
    private final class Calls extends ClassVisitor {
        private final String name;
        private final Set<Bridge> bridged = new TreeSet<>();

        Calls(ClassVisitor written, String name) {
            super(Opcodes.ASM8, written);
            this.name = name;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String called, String type, String generic, String[] thrown) {
            return new MethodVisitor(
                    Opcodes.ASM8, super.visitMethod(access, called, type, generic, thrown)) {
                @Override
                public void visitMethodInsn(
                        int code, String owner, String called, String type, boolean isInterface) {
                    if (!isTested(code, owner, called, type)) {
                        super.visitMethodInsn(code, owner, called, type, isInterface);
                        return;
                    }
                    Bridge bridge = new Bridge(owner, called, type);
                    bridged.add(bridge);
                    super.visitMethodInsn(
                            Opcodes.INVOKESTATIC, name, BRIDGE + called, bridge.type(), false);
                }
            };
        }

        private boolean isTested(int code, String owner, String called, String type) {
            return code == Opcodes.INVOKEVIRTUAL
                    && called.equals(method)
                    && Type.getArgumentTypes(type).length == parameters
                    && Type.getReturnType(type) != Type.VOID_TYPE
                    && !owner.startsWith("java/")
                    && !owner.startsWith("[")
                    && !owner.equals(name);
        }

        @Override
        public void visitEnd() {
            bridged.forEach(each -> each.write(super.visitMethod(
                    Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
                    BRIDGE + each.called, each.type(), null, null)));
            super.visitEnd();
        }
    }

    private record Bridge(String owner, String called, String descriptor)
            implements Comparable<Bridge> {
        String type() {
            return "(L" + owner + ";" + descriptor.substring(1);
        }

        void write(MethodVisitor code) {
            Label start = new Label();
            Label end = new Label();
            Label thrown = new Label();
            code.visitTryCatchBlock(start, end, thrown, null);
            code.visitCode();
            code.visitLabel(start);
            code.visitVarInsn(Opcodes.ALOAD, 0);
            int slot = 1;
            for (Type each : Type.getArgumentTypes(descriptor)) {
                code.visitVarInsn(each.getOpcode(Opcodes.ILOAD), slot);
                passed(code, each, "of");
                slot += each.getSize();
            }
            code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, owner, called, descriptor, false);
            Type returned = Type.getReturnType(descriptor);
            passed(code, returned, "back");
            code.visitLabel(end);
            code.visitMethodInsn(Opcodes.INVOKESTATIC, COPIES, "end", "()V", false);
            code.visitInsn(returned.getOpcode(Opcodes.IRETURN));
            code.visitLabel(thrown);
            code.visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {"java/lang/Throwable"});
            code.visitMethodInsn(Opcodes.INVOKESTATIC, COPIES, "end", "()V", false);
            code.visitInsn(Opcodes.ATHROW);
            code.visitMaxs(0, 0);
            code.visitEnd();
        }

        private static void passed(MethodVisitor code, Type type, String through) {
            if (type.getSort() < Type.ARRAY) {
                return;
            }
            code.visitLdcInsn(type);
            code.visitMethodInsn(
                    Opcodes.INVOKESTATIC, COPIES, through,
                    "(Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;", false);
            code.visitTypeInsn(Opcodes.CHECKCAST, type.getInternalName());
        }

        @Override
        public int compareTo(Bridge other) {
            return type().compareTo(other.type());
        }
    }
}
