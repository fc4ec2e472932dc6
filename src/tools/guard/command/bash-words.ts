import { type Command, forEachChild, parse, type Redirection, type SyntaxNode, type Word } from 'unbash';
import { anyOf, isAmong } from './shell-words.ts';

/*
 * Where there is no bash, commands run in `sh`, which takes much of what only bash has for something else and goes on as
 * if all were well: `mkdir {a,b}` makes one folder, `cmd &> file` runs in the background and writes nothing. So a command
 * with such a word is refused before a person is asked, and the model is told what to write instead.
 */

/**
 * Why `sh` must not run a script, in words for the model; undefined if it has nothing that only bash has. Says nothing of
 * a script that cannot be read, and of scripts that it gives to another shell.
 */
export function refuseBash(script: string): string | undefined {
  const found = new Map<string, string>();
  const visit = (node: SyntaxNode): void => {
    const word = bashWord(node, script);
    if (word !== undefined && !found.has(word[0])) found.set(...word);
    forEachChild(node, visit);
  };
  visit(parse(script));
  const [[what, instead] = [], ...more] = [...found];
  if (what === undefined) return undefined;
  const others = more.length === 0 ? '' : ` The same holds for ${more.map(([name]) => `\`${name}\``).join(', ')}.`;
  return `\`${what}\` is bash, and there is no bash here: commands run in sh, which would misread it. ${instead}${others}`;
}

type BashWord = readonly [what: string, instead: string];

const noReplacement = 'Write it for POSIX sh.';

function bashWord(node: SyntaxNode, script: string): BashWord | undefined {
  switch (node.type) {
    case 'TestCommand':
      return ['[[ ]]', 'Write `[ ]` with quoted words, or `case` for a pattern.'];
    case 'ArithmeticCommand':
      return ['(( ))', 'Write `$(( ))`, or `[ "$a" -lt "$b" ]` for a comparison.'];
    case 'ArithmeticFor':
      return ['for (( ))', 'Write a `while` loop with `i=$((i + 1))`.'];
    case 'BraceExpansion':
      return [node.text, 'Write each word out.'];
    case 'ProcessSubstitution':
      return [`${node.operator}( )`, 'Write the output to a file, or use a pipe.'];
    case 'HereString':
      return ['<<<', 'Write `printf "%s\\n" "$x" | …`, or a here-document.'];
    case 'AnsiCQuoted':
      return ["$'…'", 'Write `"$(printf …)"`.'];
    case 'LocaleString':
      return ['$"…"', 'Write `"…"`.'];
    case 'ArrayValue':
      return ['a=( )', 'Write `set -- …` and `"$@"`, or one variable for each value.'];
    case 'ExtendedGlob':
      return [`${node.operator}( )`, 'Write `case`, or `find` with several -name.'];
    case 'Coproc':
    case 'Select':
      return [node.type.toLowerCase(), noReplacement];
    case 'Function':
      return script.startsWith('function', node.pos) ? ['function', 'Write `name() { …; }`.'] : undefined;
    case 'SimpleExpansion':
      return ofVariable(node.text);
    case 'CaseItem':
      return node.terminator === ';&' || node.terminator === ';;&' ? [node.terminator, 'Write `;;`.'] : undefined;
    case 'Pipeline':
      return node.operators.includes('|&') ? ['|&', 'Write `2>&1 |`.'] : undefined;
    case 'Redirect':
      return ofRedirect(node);
    case 'Assignment':
      if (node.append === true) return ['+=', 'Write `x="$x…"`.'];
      return node.index === undefined ? undefined : ['a[ ]', 'Write one variable for each value.'];
    case 'ParameterExpansion':
      return ofParameter(node);
    case 'Command':
      return ofCommand(node);
    default:
      return undefined;
  }
}

function ofRedirect({
  operator,
  descriptor,
  target,
}: Extract<Redirection, { type: 'Redirect' }>): BashWord | undefined {
  if (operator === '&>' || operator === '&>>') return [operator, `Write \`${operator.slice(1)} file 2>&1\`.`];
  if (descriptor?.type === 'FileDescriptorVariable')
    return [`{${descriptor.name}}>`, 'Write the number of a descriptor.'];
  if (operator === '>&' && descriptor === undefined && target !== undefined && !/^(?:\d+-?|-|\$.*)$/.test(target.value))
    return ['>& file', 'Write `> file 2>&1`.'];
  return /^\/dev\/(?:tcp|udp)\//.test(target?.value ?? '')
    ? [target?.value ?? '', 'Use a program such as nc.']
    : undefined;
}

function ofParameter({
  text,
  parameter,
  prefix,
  index,
  operation,
}: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): BashWord | undefined {
  const own = ofVariable(`$${parameter}`);
  if (own !== undefined) return own;
  if (prefix === '!') return [text, 'Write `eval` with a name that is certain, or `case`.'];
  if (index !== undefined) return [text, 'Write one variable for each value.'];
  const isPosix = operation === undefined || operation.type === 'Default' || operation.type === 'Remove';
  return isPosix ? undefined : [text, 'Write it with sed, tr or cut.'];
}

const ownVariables = anyOf(String.raw`\$S?RANDOM \$SECONDS \$EPOCH\w+ \$E?UID \$BASH\w* \$PIPESTATUS \$FUNCNAME
  \$HOSTNAME \$OSTYPE \$MACHTYPE \$DIRSTACK \$GROUPS`);

/** Variables that are empty in `sh`. */
function ofVariable(text: string): BashWord | undefined {
  return ownVariables.test(text)
    ? [text, 'It is empty in sh: ask a program, such as date, id or hostname.']
    : undefined;
}

/** Commands that only bash has, and what to write instead. `declare -i` is the same as `declare`. */
const bashCommands: ReadonlyMap<string, string> = new Map([
  ['source', 'Write `. ./file`.'],
  ['let', 'Write `x=$((…))`.'],
  ['mapfile', 'Write `while read -r line; do … done`.'],
  ['readarray', 'Write `while read -r line; do … done`.'],
  ['pushd', 'Write `(cd folder && …)`.'],
  ['popd', 'Write `(cd folder && …)`.'],
  ...['declare', 'typeset'].map((name) => [name, 'Write `x=value`.'] as const),
  ...['shopt', 'builtin', 'enable', 'compgen', 'disown', 'caller'].map((name) => [name, noReplacement] as const),
]);

function ofCommand({ name, args }: Command): BashWord | undefined {
  const program = name?.value ?? '';
  const words = args.filter((arg): arg is Word => arg.type === 'Word').map(({ value }) => value);
  const instead = bashCommands.get(program);
  if (instead !== undefined) return [program, instead];
  if (program === 'set' && words.includes('pipefail'))
    return ['set -o pipefail', 'Leave it out: run the commands one after the other if each must succeed.'];
  if (isAmong(program, '[ test') && words.includes('==')) return ['==', 'Write `=` in `[ ]`.'];
  if (program === 'echo' && /^-[neE]*e/.test(words[0] ?? '')) return ['echo -e', "Write `printf '…\\n'`."];
  if (program === 'printf' && words.some((word) => word === '-v' || /%[q(]/.test(word)))
    return ['printf -v, %q, %( )T', 'Write `x=$(printf …)`.'];
  if (program === 'read' && words.some((word) => /^-\w*[adeinNptsu]/.test(word)))
    return ['read with options', 'Only `read -r` is POSIX: the input of a command is empty anyway.'];
  if (program === 'export' && words.some((word) => /^-\w*[fn]/.test(word))) return ['export -f', noReplacement];
  if (program === 'exec' && /^-[acl]/.test(words[0] ?? '')) return ['exec -a', noReplacement];
  if (program === 'trap' && words.slice(1).some((word) => isAmong(word, 'ERR DEBUG RETURN')))
    return ['trap … ERR', 'Write `|| …` behind the command, or use EXIT.'];
  return undefined;
}
