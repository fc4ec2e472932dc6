import { nameOf, type SourceFile, type Violation } from './source-file.ts';

const silencing: ReadonlyMap<string, readonly string[]> = new Map([
  ['vi', ['mock', 'doMock', 'hoisted']],
  ['test', ['skip', 'only', 'todo']],
  ['it', ['skip', 'only', 'todo']],
  ['describe', ['skip', 'only', 'todo']],
]);

/** Tests run, all of them, on the real modules. */
export function testViolations(file: SourceFile): readonly Violation[] {
  const found = file.nodes.flatMap((node) => {
    if (node.type !== 'MemberExpression') return [];
    const [object = '', property = ''] = [nameOf(node.object), nameOf(node.property)];
    return silencing.get(object)?.includes(property) ? [`${object}.${property}`] : [];
  });
  return found.map((name) => ({ path: file.path, message: `says ${name}: pass the dependency in, or mend the test` }));
}
