import { isJsonObject, type JsonObject, type JsonValue } from '../src/lib/json.ts';

/**
 * `docs/config.md`: every key of the config by its section, with the values that it takes, its default and what it does. Each has an
 * anchor of its own: `docs/config.md#tools.shell.allow`. Made from the config's JSON Schema alone.
 */
export function configReference(schema: JsonValue): string {
  const top = isJsonObject(schema) ? propertiesOf(schema) : [];
  const plain = top.filter(([, part]) => sectionsIn(part).length === 0);
  const sections = top.filter(([, part]) => sectionsIn(part).length > 0);
  return [
    introduction,
    ...['## Single keys', table(plain.map(([name, part]) => [[name], part] as const))],
    ...sections.flatMap(([name, part]) => section([name], part)),
    '',
  ].join('\n\n');
}

const introduction = `[中文](zh/config.md)

# Every key of \`config.json\`

Written by \`npm run schema\`; do not edit it. The config is JSON with comments. Every key may be left out; a key that nobody knows is refused, with the nearest one.
\`NAME\` stands for a name that you choose, \`N\` for the place in a list. \`"\${VARIABLE}"\` in any string is a variable of the environment or of \`.env\` beside the config.
\`keyturn config check\` says what is wrong, with line and column, and plays the config against its own rules. To begin, copy
[config.example.json](../config.example.json).`;

type Path = readonly string[];
type Named = readonly [path: Path, part: JsonObject];

/** A heading, what it is, a table of its keys, then the sections within it. */
function section(path: Path, part: JsonObject): readonly string[] {
  const named = together(
    sectionsIn(part).flatMap(({ names, within }) =>
      propertiesOf(within).map(([name, child]): Named => [[...path, ...names, name], child]),
    ),
  );
  const single = named.filter(([, child]) => sectionsIn(child).length === 0);
  const described = text(part.description);
  return [
    `${'#'.repeat(Math.min(path.length + 1, 4))} ${anchor(path)}${path.join('.')}`,
    ...(described === '' ? [] : [escaped(described)]),
    ...(single.length === 0 ? [] : [table(single)]),
    ...named.filter(([, child]) => sectionsIn(child).length > 0).flatMap(([at, child]) => section(at, child)),
  ];
}

/** One entry a key: variants of an object may each have it, with values of their own. */
function together(entries: readonly Named[]): readonly Named[] {
  const variants = new Map<string, Named[]>();
  for (const entry of entries) {
    const key = entry[0].join('.');
    variants.set(key, [...(variants.get(key) ?? []), entry]);
  }
  return [...variants.values()].flatMap(([first, ...others]): readonly Named[] => {
    if (first === undefined) return [];
    const [path, part] = first;
    const described = [first, ...others].map(([, variant]) => text(variant.description)).find((words) => words !== '');
    const parts = [part, ...others.map(([, variant]) => variant)];
    const merged: JsonObject = { description: described ?? '', anyOf: parts };
    return [
      [path, others.length === 0 ? part : part.default === undefined ? merged : { ...merged, default: part.default }],
    ];
  });
}

function table(rows: readonly Named[]): string {
  const lines = rows.map(([path, part]) => {
    const cells = [`${anchor(path)}\`${path.at(-1)}\``, valueWords(part), defaultWords(part), text(part.description)];
    return `| ${cells.map((cell, index) => (index === 3 ? escaped(cell) : cell.replaceAll('|', '\\|'))).join(' | ')} |`;
  });
  return ['| Key | Value | Default | What it is |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

function anchor(path: Path): string {
  return `<a id="${path.join('.')}"></a>`;
}

/** The objects with known keys that a value may be: itself, a variant, each entry of a list, or each below a name that the operator chooses. */
function sectionsIn(part: JsonObject): readonly { readonly names: Path; readonly within: JsonObject }[] {
  if (propertiesOf(part).length > 0) return [{ names: [], within: part }];
  const below = isJsonObject(part.additionalProperties)
    ? sectionsIn(part.additionalProperties).map(({ names, within }) => ({ names: ['NAME', ...names], within }))
    : [];
  const items = isJsonObject(part.items)
    ? sectionsIn(part.items).map(({ names, within }) => ({ names: ['N', ...names], within }))
    : [];
  return [...below, ...items, ...membersOf(part).flatMap(sectionsIn)];
}

function propertiesOf(part: JsonObject): readonly (readonly [string, JsonObject])[] {
  if (!isJsonObject(part.properties)) return [];
  return Object.entries(part.properties).flatMap(([name, child]) =>
    isJsonObject(child) ? [[name, child] as const] : [],
  );
}

function membersOf(part: JsonObject): readonly JsonObject[] {
  return [part.oneOf, part.anyOf].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isJsonObject);
}

/** In a few words: `whole number, 1 to 280`, `"auto"`, `"off"`, `list of texts`. */
function valueWords(part: JsonObject): string {
  const members = membersOf(part);
  if (members.length > 0) return [...new Set(members.map(valueWords))].join(' or ');
  if (part.const !== undefined) return code(part.const);
  if (Array.isArray(part.enum)) return part.enum.map(code).join(', ');
  switch (part.type) {
    case 'string':
      return 'text';
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
      return `whole number${rangeWords(part)}`;
    case 'number':
      return `number${rangeWords(part)}`;
    case 'array':
      return isJsonObject(part.items) ? `list: ${valueWords(part.items)}` : 'list';
    case 'object':
      return isJsonObject(part.additionalProperties) ? `by name: ${valueWords(part.additionalProperties)}` : 'object';
    default:
      return 'any';
  }
}

function rangeWords({ minimum, maximum }: JsonObject): string {
  const isBounded = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (typeof minimum !== 'number' || minimum < -Number.MAX_SAFE_INTEGER) return isBounded ? `, at most ${maximum}` : '';
  return isBounded ? `, ${minimum} to ${maximum}` : `, at least ${minimum}`;
}

function defaultWords(part: JsonObject): string {
  return part.default === undefined ? '' : code(part.default);
}

function code(value: JsonValue | undefined): string {
  const json = JSON.stringify(value) ?? '';
  return json.includes('`') ? `\`\` ${json} \`\`` : `\`${json}\``;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Angle brackets, bars and stars of a description are text. */
function escaped(words: string): string {
  return words.replaceAll(/[<>|*]/g, (sign) => `\\${sign}`);
}
