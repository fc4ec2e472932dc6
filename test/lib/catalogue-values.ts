import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Reader } from '../../src/lib/time-words.ts';
import { isNode, type Node, nameOf, nodesIn, parseFile, type SourceFile } from '../support/architecture/source-file.ts';

/** What the plain values are: texts by the name of their field. */
export interface PlainValues {
  texts(name: string): readonly string[];
  readonly numbers: readonly number[];
}

/** A type of TypeScript, the file that it stands in, where its names are looked up, and the field that has it. */
interface TypeIn {
  readonly type: Node;
  readonly file: SourceFile;
  readonly name: string;
  readonly plain: PlainValues;
}

const worstTexts: readonly string[] = [
  '',
  '**bold** [a](https://evil.example) `code',
  '\u202eright to left\u202c שלום',
  'two\n\n# lines',
  'x'.repeat(10_000),
  '中文，内容',
];
/** What a catalogue's values may be at the worst. */
const worstValues: PlainValues = { texts: () => worstTexts, numbers: [0, 1, -1, 2, 1_234_567.891] };

const readers: readonly Reader[] = [
  { timeZone: 'UTC', isNamed: true, language: 'en' },
  { timeZone: 'Asia/Shanghai', isNamed: false, language: 'zh' },
];
/** Lists are not too long: what is combined must end. */
const mostValues = 24;

/** Values for each of the types of a function's parameters, as the source declares them. Throws for a type that no catalogue needs. */
export function valuesOf(annotation: unknown, file: SourceFile, plain = worstValues): readonly unknown[] {
  const [type] = nodesIn(annotation);
  if (type === undefined) throw new Error(`A parameter in ${file.path} has no type.`);
  return of({ type: type.type === 'TSTypeAnnotation' ? only(type.typeAnnotation) : type, file, name: 'text', plain });
}

function of(whole: TypeIn): readonly unknown[] {
  const { type, file, name, plain } = whole;
  const below = (part: unknown): TypeIn => ({ ...whole, type: only(part) });
  switch (type.type) {
    case 'TSStringKeyword':
      return plain.texts(name);
    case 'TSNumberKeyword':
      return plain.numbers;
    case 'TSBooleanKeyword':
      return [true, false];
    case 'TSUndefinedKeyword':
      return [undefined];
    case 'TSLiteralType':
      return [isNode(type.literal) ? type.literal.value : undefined];
    case 'TSUnionType':
      return nodesIn(type.types).flatMap((one) => of(below(one)));
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return of(below(type.typeAnnotation));
    case 'TSArrayType':
      return listsOf(of(below(type.elementType)));
    case 'TSTypeLiteral':
      return objectOf(whole);
    case 'TSInterfaceWithBases':
      return objectOf(whole);
    case 'TSIntersectionType':
      return merged(nodesIn(type.types).map((one) => of(below(one))));
    case 'TSIndexedAccessType': {
      if (isNode(type.objectType) && type.objectType.type === 'TSTypeQuery')
        return listed(nameOf(type.objectType.exprName) ?? '', file);
      const key = isNode(type.indexType) && isNode(type.indexType.literal) ? String(type.indexType.literal.value) : '';
      const field = fieldsOf(below(type.objectType)).get(key);
      if (field === undefined) throw new Error(`There is no ${key} in a type of ${file.path}.`);
      return of(field);
    }
    case 'TSTypeReference':
      return ofReference(whole);
    default:
      throw new Error(`A catalogue takes plain values: ${file.path} has a ${type.type}.`);
  }
}

function ofReference(whole: TypeIn): readonly unknown[] {
  const { type, file } = whole;
  const name = nameOf(type.typeName) ?? '';
  const params = nodesIn(isNode(type.typeArguments) ? type.typeArguments.params : []);
  const [first, second] = params.map((param) => ({ ...whole, type: param }));
  if (name === 'Language') return ['en', 'zh'];
  if (name === 'Reader' || name === 'ReadersZone') return readers;
  if (first === undefined) return of({ ...whole, ...declared(name, file) });
  switch (name) {
    case 'ReadonlyArray':
      return listsOf(of(first));
    case 'Readonly':
    case 'Partial':
      return of(first);
    case 'Omit':
    case 'Pick': {
      const keys = second === undefined ? [] : of(second);
      const fields = [...fieldsOf(first)].filter(([key]) => keys.includes(key) === (name === 'Pick'));
      return combined(fields.map(([key, field]) => [key, of(field)] as const));
    }
    default:
      throw new Error(`A catalogue takes plain values: ${file.path} has a ${name}.`);
  }
}

/** The fields of an object type. */
function fieldsOf(whole: TypeIn): ReadonlyMap<string, TypeIn> {
  const { type, file } = whole;
  if (type.type === 'TSTypeReference') return fieldsOf({ ...whole, ...declared(nameOf(type.typeName) ?? '', file) });
  if (type.type === 'TSIntersectionType')
    return new Map(nodesIn(type.types).flatMap((one) => [...fieldsOf({ ...whole, type: one })]));
  const members = nodesIn(type.type === 'TSTypeLiteral' ? type.members : type.body);
  const inherited = nodesIn(type.bases).flatMap((base) => [...fieldsOf({ ...whole, type: base })]);
  return new Map([
    ...inherited,
    ...members.map((member): [string, TypeIn] => {
      const name = nameOf(member.key) ?? '';
      const type = only(isNode(member.typeAnnotation) ? member.typeAnnotation.typeAnnotation : undefined);
      return [name, { ...whole, name, type }];
    }),
  ]);
}

function objectOf(whole: TypeIn): readonly object[] {
  return combined([...fieldsOf(whole)].map(([key, field]) => [key, of(field)] as const));
}

/** Objects in which each value of each field occurs: not each with each. */
function combined(fields: readonly (readonly [string, readonly unknown[]])[]): readonly object[] {
  const most = Math.max(1, ...fields.map(([, values]) => values.length));
  return Array.from({ length: Math.min(most * 2, mostValues) }, (_, round) =>
    // The second time, fields are out of step with each other.
    Object.fromEntries(
      fields.map(([key, values], index) => [key, values[(round + (round < most ? 0 : index)) % values.length]]),
    ),
  );
}

function merged(parts: readonly (readonly unknown[])[]): readonly object[] {
  const most = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: most }, (_, round) =>
    Object.assign({}, ...parts.map((part) => part[round % part.length])),
  );
}

function listsOf(values: readonly unknown[]): readonly (readonly unknown[])[] {
  return [[], values.slice(0, 1), values.slice(0, 6)];
}

/** The texts of a list that is declared `as const`. */
function listed(name: string, file: SourceFile): readonly unknown[] {
  const list = file.nodes.find(({ type, id }) => type === 'VariableDeclarator' && nameOf(id) === name);
  const init = isNode(list?.init) ? (nodesIn(list.init.expression)[0] ?? list.init) : undefined;
  return nodesIn(init?.elements).map(({ value }) => value);
}

/** The declaration of a type, in the file or in one that it imports. */
function declared(name: string, file: SourceFile): Pick<TypeIn, 'type' | 'file'> {
  for (const node of file.nodes) {
    if (nameOf(node.id) !== name) continue;
    if (node.type === 'TSTypeAliasDeclaration') return { type: only(node.typeAnnotation), file };
    if (node.type === 'TSInterfaceDeclaration') {
      const bases = nodesIn(node.extends).map(({ expression }) => ({
        type: 'TSTypeReference',
        typeName: isNode(expression) ? expression : undefined,
      }));
      return { type: { ...only(node.body), type: 'TSInterfaceWithBases', bases }, file };
    }
  }
  for (const node of file.nodes.filter(({ type }) => type === 'ImportDeclaration')) {
    const found = nodesIn(node.specifiers).find(({ local }) => nameOf(local) === name);
    const source = isNode(node.source) ? String(node.source.value) : '';
    if (found === undefined || !source.startsWith('.')) continue;
    const path = posix.join(posix.dirname(file.path), source);
    return declared(nameOf(found.imported) ?? name, parseFile(path, readFileSync(path, 'utf8')));
  }
  throw new Error(`The type ${name} of ${file.path} is not found.`);
}

function only(value: unknown): Node {
  const [node] = nodesIn(value);
  if (node === undefined) throw new Error('A type is missing.');
  return node;
}
