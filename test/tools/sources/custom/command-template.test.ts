import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { fillTemplate, readTemplate } from '../../../../src/tools/sources/custom/command-template.ts';

function piecesOf(command: string, parameters: readonly string[] = ['x']) {
  const reading = readTemplate(command, parameters);
  if (!reading.valid) throw new Error(reading.faults.join('\n'));
  return reading.template;
}

function faultsOf(command: string): string {
  const reading = readTemplate(command, ['x']);
  return reading.valid ? 'it was accepted' : reading.faults.join('\n');
}

describe('a value can stand', () => {
  test.each([
    ['alone', 'echo {{x}}'],
    ['with spaces in the braces', 'echo {{ x }}'],
    ['behind the code of a shell', `sh -c 'echo "$1"' sh {{x}}`],
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
    expect(faultsOf(command)).toBe('it was accepted');
  });

  test('nowhere, where there is none: then any command will do', () => {
    expect(piecesOf("docker inspect --format '{{.State}} {{json .}}'", [])).toHaveLength(1);
    expect(piecesOf('echo "unfinished', [])).toEqual(['echo "unfinished']);
  });
});

describe('a value cannot stand', () => {
  test.each([
    ['as a program', '{{x}} a', 'is where a program is named'],
    ['as a part of one', '/usr/bin/{{x}}', 'is where a program is named'],
    ['as what another program runs', 'sudo -u ada {{x}}', 'is where a program is named'],
    ['as what timeout runs', 'timeout 5 {{x}}', 'is where a program is named'],
    ['as what find runs', 'find . -exec {{x}} {} \\;', 'is where a program is named'],
    ['as what xargs runs', 'ls | xargs -0 {{x}}', 'is where a program is named'],
    ['in the code of a shell', "sh -c 'echo {{x}}'", 'could become a part of what sh runs'],
    ['in the code of a shell in double quotes', 'bash -lc "echo {{x}}"', 'could become a part of what sh runs'],
    ['in eval', 'eval echo {{x}}', 'could become a part of what sh runs'],
    ['in a trap', "trap 'rm {{x}}' EXIT", 'could become a part of what sh runs'],
    ['in an alias', 'alias a={{x}}', 'could become a part of what sh runs'],
    ['in what runs on another machine', 'ssh host ls {{x}}', 'could become a part of what sh runs'],
    [
      'in the code of a shell in a container',
      'docker exec app sh -c "ls {{x}}"',
      'could become a part of what docker runs',
    ],
    ['in what a shell reads', 'echo {{x}} | sh', 'could become a part of what sh runs'],
    ['in a variable that goes on to a shell', 'a={{x}}; echo $a | sh', 'could become a part of what sh runs'],
    ['in what find lists for a shell', 'find . -name {{x}} | xargs sh -c', 'could become a part of what sh runs'],
    [
      'in what find lists, by another name',
      "find {{x}} | xargs -I% sh -c 'ls %'",
      'could become a part of what sh runs',
    ],
    ['far up in what a shell reads', 'printf %s {{x}} | tr a b | sudo bash', 'could become a part of what bash runs'],
    ['in a document that a shell reads', 'bash <<EOF\nls {{x}}\nEOF', 'could become a part of what sh runs'],
    [
      'in a document that goes on to a shell',
      'cat <<EOF | bash -s\nls {{x}}\nEOF',
      'could become a part of what sh runs',
    ],
    ['in what goes on to a group', '{ sh; } <<< {{x}}', 'could become a part of what sh runs'],
    ['in what goes on to a function', 'f() { sh; }; f <<< {{x}}', 'could become a part of what sh runs'],
    ['in a variable that is evaluated', 'x={{x}}; eval "$x"', 'could become a part of what'],
    ['in a variable by a detour', 'a=$(echo {{x}}); sh -c "$a"', 'could become a part of what sh runs'],
    ['behind code, where an option is more code', "perl -e 'print 1' {{x}}", 'could become a part of what perl runs'],
    ['as the program that xargs is handed', 'echo {{x}} | xargs env', 'is where a program is named'],
    ['in a variable that env sets', 'env LD_PRELOAD={{x}} ls', 'could become a part of what env runs'],
    ['as the script of a shell', 'bash {{x}}', 'could become a part of what bash runs'],
    ['as what is sourced', '. {{x}}', 'could become a part of what . runs'],
    ['in the code of an interpreter', 'python3 -c "print({{x}})"', 'could become a part of what python3 runs'],
    ['in what an interpreter reads', 'node - <<< {{x}}', 'could become a part of what node runs'],
    ['as a file that perl opens', 'perl -ne print {{x}}', 'could become a part of what perl runs'],
    ['in the program of awk', "awk '{ print {{x}} }' data", 'could become a part of what awk runs'],
    ['in the program of sed', 'sed s/a/{{x}}/ data', 'could become a part of what sed runs'],
    ['in the program of sed behind a file', 'sed data -e {{x}}', 'could become a part of what sed runs'],
    ['in the program of sed beside its option', 'sed -es/a/{{x}}/ data', 'could become a part of what sed runs'],
    [
      'in the code behind an option with a value',
      'python3 -W ignore -c {{x}}',
      'could become a part of what python3 runs',
    ],
    ['in the file of a program of jq', 'jq . -f {{x}}', 'could become a part of what jq runs'],
    ['in the program of awk before its options', "awk '{{x}}' -f lib.awk", 'could become a part of what awk runs'],
    ['in the program of jq before its options', "jq '{{x}}' -f file.jq", 'could become a part of what jq runs'],
    ['in the code behind a bare option', "python3 -B -c 'print({{x}})'", 'could become a part of what python3 runs'],
    ['in what a shell with an option reads', 'echo {{x}} | bash -e', 'could become a part of what sh runs'],
    [
      'in what an interpreter with an option reads',
      'echo {{x}} | python3 -E',
      'could become a part of what python3 runs',
    ],
    ['in what is declared', 'declare a={{x}}', 'Set a variable as x={{x}}'],
    ['in the name of what is exported', 'export {{x}}', 'Set a variable as x={{x}}'],
    ['in the name of what is exported with a value', 'export "{{x}}=1"', 'Set a variable as x={{x}}'],
    ['in the program of jq', 'jq .{{x}} data.json', 'could become a part of what jq runs'],
    ['in SQL', `sqlite3 data.db "SELECT '{{x}}'"`, 'could become a part of what sqlite3 runs'],
    ['in SQL of an option', 'psql -c "SELECT {{x}}"', 'could become a part of what psql runs'],
    ['in what make is given', 'make TARGET={{x}}', 'could become a part of what make runs'],
    ['in an option that names a program', 'tar --to-command={{x}} -xf a.tar', 'could become a part of what tar runs'],
    ['in the config of git', 'git -c {{x}} log', 'could become a part of what git runs'],
    ['as what git runs', 'git rebase -x {{x}}', 'could become a part of what git runs'],
    ['as a module of node', 'node --import ./a.mjs {{x}}', 'could become a part of what node runs'],
    ['as an option of java', 'java -cp lib {{x}}', 'could become a part of what java runs'],
    ['as a permission of deno', 'deno run -A {{x}}', 'could become a part of what deno runs'],
    ['as an option of a strict shell', 'bash -euo pipefail {{x}}', 'could become a part of what bash runs'],
    [
      'in a database of the environment that is set',
      'DATABASE_URL={{x}}; psql "$DATABASE_URL" -f query.sql',
      'could become a part of what psql runs',
    ],
    ['in the config of git behind a dash', 'git - -c{{x}}', 'could become a part of what git runs'],
    ['in the config of git behind a folder', 'git --git-dir a -c {{x}} log', 'could become a part of what git runs'],
    ['in what is sourced from the input', '. /dev/stdin <<< {{x}}', 'could become a part of what sh runs'],
    ['in what a shell is told to read', 'sh /dev/stdin <<< {{x}}', 'could become a part of what sh runs'],
    ['in what xargs makes code of', 'echo {{x}} | xargs sh -c', 'could become a part of what sh runs'],
    ['in what xargs puts into code', "echo {{x}} | xargs -I{} sh -c 'ls {}'", 'could become a part of what sh runs'],
    [
      'in what xargs puts there by another name',
      "xargs -I % bash -c 'ls %' <<< {{x}}",
      'could become a part of what sh runs',
    ],
    ['in what find puts into code', "find {{x}} -exec sh -c 'ls {}' \\;", 'could become a part of what sh runs'],
    ['as what a function runs', 'f() { "$@"; }; f {{x}}', 'is where a program is named'],
    ['as the format of printf, which may be an option', 'printf {{x}} {{x}} a', 'a part of what printf runs'],
    ['at the beginning of a format', 'printf "{{x}}"', "Pass it behind the format: printf '%s\\n' {{x}}."],
    ['as a file of code', 'jshell ./a.jsh {{x}}', 'could become a part of what jshell runs'],
    ['as an option behind a file', 'erl ./a.beam {{x}}', 'could become a part of what erl runs'],
    ['as the operator of a test', 'test {{x}} {{x}}', 'could become a part of what test runs'],
    ['as the pager of git', 'git grep -O{{x}} a', 'could become a part of what git runs'],
    ['as the pager of git by name', 'git grep --open-files-in-pager={{x}} a', 'could become a part of what git runs'],
    ['in the code of rarer interpreters', 'pypy3 -c {{x}}', 'could become a part of what pypy3 runs'],
    ['in what is planned', 'at now <<< {{x}}', 'could become a part of what at runs'],
    ['in the orders of an editor', 'printf %s {{x}} | ed a', 'could become a part of what ed runs'],
    ['in an address that starts programs', 'socat - {{x}}', 'could become a part of what socat runs'],
    ['in what a search runs first', 'rg --pre {{x}} a', 'could become a part of what rg runs'],
    ['in what a connection is handed to', 'ncat -c {{x}} host 1', 'could become a part of what ncat runs'],
    ['in what a terminal runs', 'tmux new -d {{x}}', 'could become a part of what tmux runs'],
    ['as the name of a variable', 'read {{x}}', 'could become a part of what read runs'],
    ['as the name of a loop', 'for {{x}} in a; do ls; done', 'more than data'],
    ['as the name of a function', '{{x}}() { ls; }', 'more than data'],
    ['in a variable that names programs', 'PATH={{x}} ls', 'more than data'],
    ['in arithmetic', 'echo $(({{x}} + 1))', 'more than data'],
    ['in arithmetic of bash', '(( {{x}} ))', 'is where a program is named'],
    ['in a here-document', 'cat <<EOF\n{{x}}\nEOF', 'more than data'],
    ['in the name of a database', 'sqlite3 {{x}} "SELECT 1"', 'could become a part of what sqlite3 runs'],
    ['in a test of bash', '[[ {{x}} -eq 1 ]]', 'more than data'],
    ['in braces of a variable', `echo "\${a:-{{x}}}"`, 'more than data'],
    ['in a pattern', 'ls [{{x}}]', 'more than data'],
    ['in a list in braces', 'ls {a,{{x}}}', 'more than data'],
    ['in a list of bash', 'a=({{x}})', 'more than data'],
    ['as a descriptor', 'ls >&{{x}}', 'more than data'],
    ['in quotes that shells read differently', "echo $'{{x}}'", 'more than data'],
    ['in backticks', 'echo `cat {{x}}`', 'more than data'],
    ['in backticks with backslashes', 'echo "`echo \\"{{x}}\\"`"', 'more than data'],
    ['in a document whose end is quoted', "cat <<'EOF'\n{{x}}\nEOF", 'more than data'],
    ['behind a backslash', 'echo \\{{x}}', 'has a backslash or a "$" before it'],
    ['behind a dollar', `echo "\${{x}}"`, 'has a backslash or a "$" before it'],
    ['in a comment', 'ls # {{x}}', 'more than data'],
    ['where the quotes do not end', 'echo {{x}} "', 'a mistake in its syntax'],
    ['beside quotes that shells read differently', "echo $'it\\'s' {{x}}", 'quotes that shells read differently'],
    ['undeclared', 'echo {{y}}', '{{y}} is none of the parameters'],
  ])('%s', (_where, command, words) => {
    expect(faultsOf(command)).toContain(words);
  });

  test('and what to write instead can be written', () => {
    expect(faultsOf("awk '{ print {{x}} }'")).toContain("awk -v x={{x}} '{ print x }'");
    expect(faultsOf("awk -v x={{x}} '{ print x }'")).toBe('it was accepted');
    expect(faultsOf("sh -c 'echo {{x}}'")).toContain(`sh -c 'echo "$1"' sh {{x}}`);
    expect(faultsOf(`sh -c 'echo "$1"' sh {{x}}`)).toBe('it was accepted');
    expect(faultsOf(`printf %s {{x}} | xargs -0 sh -c 'echo "$1"' sh`)).toBe('it was accepted');
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
  expect(faultsOf(`echo ${'{{x}} '.repeat(1001)}`)).toMatch(/^There are more than \d+ placeholders\.$/);
  expect(faultsOf('echo {{x}} \ue000')).toBe('It has a character of a private area of Unicode. Take it out.');
});
