import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Language } from '../../../../src/lib/words.ts';
import { fillTemplate, readTemplate } from '../../../../src/tools/sources/custom/command-template.ts';
import { type CodeAdvice, type PlaceholderFault, templateWords } from '../../../../src/tools/sources/custom/words.ts';

function piecesOf(command: string, parameters: readonly string[] = ['x']) {
  const reading = readTemplate(command, parameters);
  if (!reading.valid) throw new Error(reading.faults.map((fault) => fault('en')).join('\n'));
  return reading.template;
}

const accepted = 'it was accepted';

function faultsOf(command: string, language: Language = 'en'): string {
  const reading = readTemplate(command, ['x']);
  return reading.valid ? accepted : reading.faults.map((fault) => fault(language)).join('\n');
}

const { fault: faultWords } = templateWords.en;

function refused(fault: PlaceholderFault): string {
  return faultWords({ type: 'placeholder', name: 'x', fault });
}

const asProgram = refused({ why: 'program' });
const asNoData = refused({ why: 'no-data' });
const asEscaped = refused({ why: 'escaped' });

/** What is advised for programs that have a way of their own to take values; for all others, a script. */
const advices: Readonly<Record<string, CodeAdvice>> = {
  sh: 'shell',
  bash: 'shell',
  awk: 'awk',
  jq: 'jq',
  psql: 'psql',
  printf: 'printf',
  declare: 'variable',
  export: 'variable',
  read: 'variable',
};

function asCode(program: string): string {
  return refused({ why: 'code', program, instead: advices[program] ?? 'script' });
}

describe('a value can stand', () => {
  test.each([
    ['alone', 'echo {{x}}'],
    ['with spaces in the braces', 'echo {{ x }}'],
    ['behind the code of a shell', `sh -c 'ls "$1"' sh {{x}}`],
    ['behind the code of an interpreter', "python3 -c 'import sys; print(sys.argv[1])' {{x}}"],
    ['behind a script', 'python3 -u script.py --name {{x}}'],
    ['in a variable of awk', "awk -F: -v x={{x}} '{ print x }' {{x}}"],
    ['in a variable of awk, attached', 'awk -vx={{x}} -F, 1 {{x}}'],
    ['in a variable of jq', "jq --arg x {{x}} '.[$x]' data.json"],
    ['behind the script of sed', 'sed -n -e s/a/b/ -i {{x}}'],
    ['behind the options of an interpreter', 'python3 -W ignore ./run.py -c {{x}}'],
    ['behind a script of a plugin', 'python3 "$KEYTURN_PLUGIN_DIR"/run.py {{x}}'],
    ['before a program that reads data', "curl -s {{x}} | node -e 'process.stdin.pipe(process.stdout)'"],
    ['in a variable of a database', 'psql -v id={{x}} -f query.sql'],
    ['in a variable of a database of the environment', 'psql "$DATABASE_URL" -v id={{x}} -f query.sql'],
    ['behind the options of a strict shell', `bash -euo pipefail -c 'echo "$1"' _ {{x}}`],
    ['behind options of node', 'node --env-file=.env --no-warnings -r dotenv/config --import ./a.mjs b.js {{x}}'],
    ['behind permissions of deno', 'deno run -A --allow-net=a.com b.ts {{x}}'],
    ['behind options of java', 'java -Xmx1g -Da=b -cp lib -jar a.jar {{x}}'],
    ['behind the script of a framework', 'php artisan queue:retry {{x}}'],
    ['behind a commit that git picks', 'git cherry-pick -x {{x}}'],
    ['behind a class of input and output', 'ionice -c3 rsync -a {{x}} b'],
    ['as the target of a redirection', 'echo a > {{x}} 2>&1 < {{x}}'],
    ['in an assignment', 'name={{x}} env; other="{{x}}"; export third={{x}}'],
    ['in a substitution', 'echo "$(cat {{x}})" $(cat {{x}})'],
    [
      'in a loop, a branch, a function and a subshell',
      'for i in {{x}}; do if [ {{x}} = a ]; then f() ( ls {{x}} ); fi; done',
    ],
    ['in a pipe to what does not run it', 'cat {{x}} | grep -c {{x}} | sh count.sh'],
    ['behind programs that run others', 'sudo -u ada timeout 5 env A=b nice ls {{x}}'],
    ['behind what find runs', 'find {{x}} -name "*.ts" -exec grep -l {{x}} {} +'],
    ['behind a script that find runs', `find {{x}} -exec sh -c 'ls "$1"' sh {} \\;`],
    ['in what a function lists', 'f() { ls "$1"; }; f {{x}}'],
    ['behind a format, and in a test', 'printf -- %s {{x}}; printf "$F" {{x}}; [ {{x}} = a ] && [ -n {{x}} ]'],
    ['in a format behind fixed text', `printf 'Hello {{x}}\\n' >> notes`],
    ['in a test that find runs', 'find . -name {{x}} -exec test -s {} \\; -print'],
    ['behind a script of Lisp, and a program of Swift', 'sbcl --script ./a.lisp {{x}}; swift run app {{x}}'],
    ['in a container', 'docker exec -w /srv app python3 run.py {{x}}'],
    ['as the host of ssh', 'ssh {{x}} uptime'],
    ['as a branch of git', 'git -c color.ui=never switch -c {{x}}'],
    ['behind a dollar in single quotes', `echo '\${{x}}'`],
    ['beside a pattern', 'ls *{{x}}* ~/{{x}} {{{x}}}'],
    ['in arguments of the shell', 'set -- {{x}}; shift; cd {{x}} && exit'],
  ])('%s', (_where, command) => {
    expect(faultsOf(command)).toBe(accepted);
  });

  test('nowhere, where there is none: then any command will do', () => {
    expect(piecesOf("docker inspect --format '{{.State}} {{json .}}'", [])).toHaveLength(1);
    expect(piecesOf('echo "unfinished', [])).toEqual(['echo "unfinished']);
  });
});

describe('a value cannot stand', () => {
  test.each([
    ['as a program', '{{x}} a', asProgram],
    ['as a part of one', '/usr/bin/{{x}}', asProgram],
    ['as what another program runs', 'sudo -u ada {{x}}', asProgram],
    ['as what timeout runs', 'timeout 5 {{x}}', asProgram],
    ['as what find runs', 'find . -exec {{x}} {} \\;', asProgram],
    ['as what xargs runs', 'ls | xargs -0 {{x}}', asProgram],
    ['in the code of a shell', "sh -c 'echo {{x}}'", asCode('sh')],
    ['in the code of a shell in double quotes', 'bash -lc "echo {{x}}"', asCode('sh')],
    ['in eval', 'eval echo {{x}}', asCode('sh')],
    ['in a trap', "trap 'rm {{x}}' EXIT", asCode('sh')],
    ['in an alias', 'alias a={{x}}', asCode('sh')],
    ['in what runs on another machine', 'ssh host ls {{x}}', asCode('sh')],
    ['in the code of a shell in a container', 'docker exec app sh -c "ls {{x}}"', asCode('docker')],
    ['in what a shell reads', 'echo {{x}} | sh', asCode('sh')],
    ['in a variable that goes on to a shell', 'a={{x}}; echo $a | sh', asCode('sh')],
    ['in what find lists for a shell', 'find . -name {{x}} | xargs sh -c', asCode('sh')],
    ['in what find lists, by another name', "find {{x}} | xargs -I% sh -c 'ls %'", asCode('sh')],
    ['far up in what a shell reads', 'printf %s {{x}} | tr a b | sudo bash', asCode('bash')],
    ['in a document that a shell reads', 'bash <<EOF\nls {{x}}\nEOF', asCode('sh')],
    ['in a document that goes on to a shell', 'cat <<EOF | bash -s\nls {{x}}\nEOF', asCode('sh')],
    ['in what goes on to a group', '{ sh; } <<< {{x}}', asCode('sh')],
    ['in what goes on to a function', 'f() { sh; }; f <<< {{x}}', asCode('sh')],
    ['in a variable that is evaluated', 'x={{x}}; eval "$x"', asCode('sh')],
    ['in a variable by a detour', 'a=$(echo {{x}}); sh -c "$a"', asCode('sh')],
    ['behind code, where an option is more code', "perl -e 'print 1' {{x}}", asCode('perl')],
    ['as the program that xargs is handed', 'echo {{x}} | xargs env', asProgram],
    ['in a variable that env sets', 'env LD_PRELOAD={{x}} ls', asCode('env')],
    ['as the script of a shell', 'bash {{x}}', asCode('bash')],
    ['as what is sourced', '. {{x}}', asCode('.')],
    ['in the code of an interpreter', 'python3 -c "print({{x}})"', asCode('python3')],
    ['in what an interpreter reads', 'node - <<< {{x}}', asCode('node')],
    ['as a file that perl opens', 'perl -ne print {{x}}', asCode('perl')],
    ['in the program of awk', "awk '{ print {{x}} }' data", asCode('awk')],
    ['in the program of sed', 'sed s/a/{{x}}/ data', asCode('sed')],
    ['in the program of sed behind a file', 'sed data -e {{x}}', asCode('sed')],
    ['in the program of sed beside its option', 'sed -es/a/{{x}}/ data', asCode('sed')],
    ['in the code behind an option with a value', 'python3 -W ignore -c {{x}}', asCode('python3')],
    ['in the file of a program of jq', 'jq . -f {{x}}', asCode('jq')],
    ['in the program of awk before its options', "awk '{{x}}' -f lib.awk", asCode('awk')],
    ['in the program of jq before its options', "jq '{{x}}' -f file.jq", asCode('jq')],
    ['in the code behind a bare option', "python3 -B -c 'print({{x}})'", asCode('python3')],
    ['in what a shell with an option reads', 'echo {{x}} | bash -e', asCode('sh')],
    ['in what an interpreter with an option reads', 'echo {{x}} | python3 -E', asCode('python3')],
    ['in what is declared', 'declare a={{x}}', asCode('declare')],
    ['in the name of what is exported', 'export {{x}}', asCode('export')],
    ['in the name of what is exported with a value', 'export "{{x}}=1"', asCode('export')],
    ['in the program of jq', 'jq .{{x}} data.json', asCode('jq')],
    ['in SQL', `sqlite3 data.db "SELECT '{{x}}'"`, asCode('sqlite3')],
    ['in SQL of an option', 'psql -c "SELECT {{x}}"', asCode('psql')],
    ['in what make is given', 'make TARGET={{x}}', asCode('make')],
    ['in an option that names a program', 'tar --to-command={{x}} -xf a.tar', asCode('tar')],
    ['in the config of git', 'git -c {{x}} log', asCode('git')],
    ['as what git runs', 'git rebase -x {{x}}', asCode('git')],
    ['as a module of node', 'node --import ./a.mjs {{x}}', asCode('node')],
    ['as an option of java', 'java -cp lib {{x}}', asCode('java')],
    ['as a permission of deno', 'deno run -A {{x}}', asCode('deno')],
    ['as an option of a strict shell', 'bash -euo pipefail {{x}}', asCode('bash')],
    [
      'in a database of the environment that is set',
      'DATABASE_URL={{x}}; psql "$DATABASE_URL" -f query.sql',
      asCode('psql'),
    ],
    ['in the config of git behind a dash', 'git - -c{{x}}', asCode('git')],
    ['in the config of git behind a folder', 'git --git-dir a -c {{x}} log', asCode('git')],
    ['in what is sourced from the input', '. /dev/stdin <<< {{x}}', asCode('sh')],
    ['in what a shell is told to read', 'sh /dev/stdin <<< {{x}}', asCode('sh')],
    ['in what xargs makes code of', 'echo {{x}} | xargs sh -c', asCode('sh')],
    ['in what xargs puts into code', "echo {{x}} | xargs -I{} sh -c 'ls {}'", asCode('sh')],
    ['in what xargs puts there by another name', "xargs -I % bash -c 'ls %' <<< {{x}}", asCode('sh')],
    ['in what find puts into code', "find {{x}} -exec sh -c 'ls {}' \\;", asCode('sh')],
    ['as what a function runs', 'f() { "$@"; }; f {{x}}', asProgram],
    ['as the format of printf, which may be an option', 'printf {{x}} {{x}} a', asCode('printf')],
    ['at the beginning of a format', 'printf "{{x}}"', asCode('printf')],
    ['as a file of code', 'jshell ./a.jsh {{x}}', asCode('jshell')],
    ['as an option behind a file', 'erl ./a.beam {{x}}', asCode('erl')],
    ['as the operator of a test', 'test {{x}} {{x}}', asCode('test')],
    ['as the pager of git', 'git grep -O{{x}} a', asCode('git')],
    ['as the pager of git by name', 'git grep --open-files-in-pager={{x}} a', asCode('git')],
    ['in the code of rarer interpreters', 'pypy3 -c {{x}}', asCode('pypy3')],
    ['in what is planned', 'at now <<< {{x}}', asCode('at')],
    ['in the orders of an editor', 'printf %s {{x}} | ed a', asCode('ed')],
    ['in an address that starts programs', 'socat - {{x}}', asCode('socat')],
    ['in what a search runs first', 'rg --pre {{x}} a', asCode('rg')],
    ['in what a connection is handed to', 'ncat -c {{x}} host 1', asCode('ncat')],
    ['in what a terminal runs', 'tmux new -d {{x}}', asCode('tmux')],
    ['as the name of a variable', 'read {{x}}', asCode('read')],
    ['as the name of a loop', 'for {{x}} in a; do ls; done', asNoData],
    ['as the name of a function', '{{x}}() { ls; }', asNoData],
    ['in a variable that names programs', 'PATH={{x}} ls', asNoData],
    ['in arithmetic', 'echo $(({{x}} + 1))', asNoData],
    ['in arithmetic of bash', '(( {{x}} ))', asProgram],
    ['in a here-document', 'cat <<EOF\n{{x}}\nEOF', asNoData],
    ['in the name of a database', 'sqlite3 {{x}} "SELECT 1"', asCode('sqlite3')],
    ['in a test of bash', '[[ {{x}} -eq 1 ]]', asNoData],
    ['in braces of a variable', `echo "\${a:-{{x}}}"`, asNoData],
    ['in a pattern', 'ls [{{x}}]', asNoData],
    ['in a list in braces', 'ls {a,{{x}}}', asNoData],
    ['in a list of bash', 'a=({{x}})', asNoData],
    ['as a descriptor', 'ls >&{{x}}', asNoData],
    ['in quotes that shells read differently', "echo $'{{x}}'", asNoData],
    ['in backticks', 'echo `cat {{x}}`', asNoData],
    ['in backticks with backslashes', 'echo "`echo \\"{{x}}\\"`"', asNoData],
    ['in a document whose end is quoted', "cat <<'EOF'\n{{x}}\nEOF", asNoData],
    ['behind a backslash', 'echo \\{{x}}', asEscaped],
    ['behind a dollar', `echo "\${{x}}"`, asEscaped],
    ['in a comment', 'ls # {{x}}', asNoData],
    ['where the quotes do not end', 'echo {{x}} "', 'a mistake in its syntax'],
    ['beside quotes that shells read differently', "echo $'it\\'s' {{x}}", 'quotes that shells read differently'],
    ['undeclared', 'echo {{y}}', faultWords({ type: 'undeclared', name: 'y' })],
  ])('%s', (_where, command, words) => {
    expect(faultsOf(command)).toContain(words);
  });

  test('and operators are told so in their language', () => {
    const fault = { why: 'program' } as const;
    expect(faultsOf('{{x}} a', 'zh')).toBe(templateWords.zh.fault({ type: 'placeholder', name: 'x', fault }));
  });

  test('and what to write instead can be written', () => {
    expect(faultsOf("awk '{ print {{x}} }'")).toContain("awk -v x={{x}} '{ print x }'");
    expect(faultsOf("awk -v x={{x}} '{ print x }'")).toBe(accepted);
    const [instead = ''] = /sh -c '[^']*"\$1"' sh \{\{x\}\}/.exec(faultsOf("sh -c 'echo {{x}}'")) ?? [];
    expect(instead).toContain('{{x}}');
    expect(faultsOf(instead)).toBe(accepted);
    expect(faultsOf(`printf %s {{x}} | xargs -0 ${instead.replace(' {{x}}', '')}`)).toBe(accepted);
  });
});

describe('what is filled in', () => {
  const filled = (command: string, x?: null | string | number | boolean | readonly string[] | { a: number }) =>
    fillTemplate(piecesOf(command), x === undefined ? {} : { x });

  test('never stands in the script, whatever it is', () => {
    const { script, args } = filled('echo {{x}} "a {{x}}"', '"; id #');
    expect(script).toBe(`keyturn_1=\${1}; shift 1; echo "$keyturn_1" "a \${keyturn_1}"`);
    expect(args).toEqual(['"; id #']);
  });

  test.each([
    ['nothing where a value is missing', undefined, [], 'ls  -l'],
    ['nothing for null', null, [], 'ls  -l'],
    ['an empty string as one argument', '', [''], "ls '' -l"],
    ['a number', 1e21, ['1e+21'], 'ls 1e+21 -l'],
    ['a truth', false, ['false'], 'ls false -l'],
    ['each entry of a list as an argument', ['a', 'b c'], ['a', 'b c'], "ls a 'b c' -l"],
    ['nothing for an empty list', [], [], 'ls  -l'],
    ['an object as JSON', { a: 1 }, ['{"a":1}'], `ls '{"a":1}' -l`],
  ])('alone is %s', (_what, x, args, written) => {
    expect(filled('ls {{x}} -l', x)).toMatchObject({ args, written });
  });

  test.each([
    ['an empty string where a value is missing', undefined, "ls --n=''"],
    ['a list as JSON', ['a', 'b'], `ls --n='["a","b"]'`],
  ])('beside text is %s', (_what, x, written) => {
    expect(filled('ls --n={{x}}', x).written).toBe(written);
    expect(filled('ls --n={{x}}', x).args).toHaveLength(1);
  });

  test('in a redirection is a word in any case', () => {
    expect(filled('ls > {{x}}').script).toBe(`keyturn_1=\${1}; shift 1; ls > "$keyturn_1"`);
  });

  test('is shown to people without the middle of what is long', () => {
    const { written, args } = filled('ls {{x}}', `begin${'x'.repeat(50_000)}end`);
    expect(written).toMatch(/^ls 'beginx+…x+end'$/);
    expect(written.length).toBeLessThan(600);
    expect(args[0]?.length).toBe(50_008);
  });

  describe('means the same to a shell as what people and rules are shown', () => {
    const print = "printf '<%s>'";
    const commands = [
      ...[`${print} {{x}}`, `${print} "a {{x}} b"`, `${print} 'a {{x}} b'`, `${print} --n={{x}}`],
      ...[`${print} "$(printf %sE {{x}})"`, `${print} "$(printf '%s %s' '{{x}}' "{{x}}")"`],
    ];
    const values = [
      ...`a'b " $HOME $(id) # -n {{x}} 🙂`.split(/\s+/),
      '`id`',
      '\\',
      '\\\\n',
      '* ~ {a,b}',
      '',
      ' a  b ',
      'a\nb',
    ];
    test.each(commands)('%j', (command) => {
      for (const x of values) {
        const { script, args, written } = filled(command, x);
        const run = spawnSync('sh', ['-c', script, 'sh', ...args]);
        const shown = spawnSync('sh', ['-c', written]);
        expect([command, x, shown.stdout.toString()]).toEqual([command, x, run.stdout.toString()]);
      }
    });
  });
});

test('too many placeholders are refused, and characters that could be taken for one', () => {
  expect(faultsOf(`echo ${'{{x}} '.repeat(1001)}`)).toBe(faultWords({ type: 'too-many', most: 1000 }));
  expect(faultsOf('echo {{x}} \ue000')).toBe(faultWords({ type: 'private-character' }));
});
