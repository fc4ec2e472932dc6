import { nameOf, type SourceFile, type Violation } from './source-file.ts';

const silencing: ReadonlyMap<string, readonly string[]> = new Map([
  ['vi', ['mock', 'doMock', 'hoisted']],
  ['test', ['skip', 'only', 'todo']],
  ['it', ['skip', 'only', 'todo']],
  ['describe', ['skip', 'only', 'todo']],
]);

/** Long tests measure; in all others, elapsed time tells how busy the machine is. */
const timing: ReadonlyMap<string, readonly string[]> = new Map([['performance', ['now']]]);
const mayMeasure = /\.(?:long|scaled)\.test\.ts$/;
/** Processor time swells too where others compete for the processor. */
const measuring = 'test/support/processor-time.ts';
const shortTest = /(?<!\.long)\.test\.ts$/;

/** Tests run, all of them, on the real modules, and however busy the machine is. */
export function testViolations(file: SourceFile): readonly Violation[] {
  const forbidden = mayMeasure.test(file.path) ? silencing : new Map([...silencing, ...timing]);
  const found = file.nodes.flatMap((node) => {
    if (node.type !== 'MemberExpression') return [];
    const [object = '', property = ''] = [nameOf(node.object), nameOf(node.property)];
    return forbidden.get(object)?.includes(property) ? [`${object}.${property}`] : [];
  });
  if (shortTest.test(file.path) && file.imports.some(({ target }) => target === measuring)) found.push(measuring);
  return found.map((name) => ({ path: file.path, message: `says ${name}: pass the dependency in, or mend the test` }));
}
