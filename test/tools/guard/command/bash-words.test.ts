// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is for the shell
import { expect, test } from 'vitest';
import { refuseBash } from '../../../../src/tools/guard/command/bash-words.ts';
import { listed } from '../../setting.ts';

test.each([
  ['mkdir -p p/{src,test}', '{src,test}'],
  ['echo {1..3}', '{1..3}'],
  ['ls &> x', '&>'],
  ['ls &>> x', '&>>'],
  ['ls >& x', '>& file'],
  ['ls |& cat', '|&'],
  ['cat <<< a', '<<<'],
  ['diff <(ls a) b', '<( )'],
  ['tee >(cat)', '>( )'],
  ['[[ $x == a* ]] && ls', '[[ ]]'],
  ['((i++))', '(( ))'],
  ['for ((i = 0; i < 3; i++)); do ls; done', 'for (( ))'],
  ["echo $'a'", "$'…'"],
  ['echo $"a"', '$"…"'],
  ['a=(1 2)', 'a=( )'],
  ['x+=1', '+='],
  ['echo ${x//a/b}', '${x//a/b}'],
  ['echo ${x^^}', '${x^^}'],
  ['echo ${!x}', '${!x}'],
  ['function f { ls; }', 'function'],
  ['echo "$(function f { ls; }; f)"', 'function'],
  ['source ./x', 'source'],
  ['declare -A m', 'declare'],
  ['set -euo pipefail; ls', 'set -o pipefail'],
  ['[ a == b ]', '=='],
  ['echo -e a', 'echo -e'],
  ['read -p x y', 'read with options'],
  ['coproc ls', 'coproc'],
  ['case x in x) ls ;& esac', ';&'],
  ['exec {fd}> x', '{fd}>'],
  ['echo $RANDOM', '$RANDOM'],
  ['trap ls ERR', 'trap … ERR'],
  ['cat < /dev/tcp/example.com/80', '/dev/tcp/example.com/80'],
])('where there is no bash, sh is not given: %s', (command, word) => {
  expect(refuseBash(command)).toMatch(/is bash, and there is no bash here: commands run in sh/);
  expect(refuseBash(command)?.startsWith(`\`${word}\``)).toBe(true);
});

test('of several such words all are named', () => {
  expect(refuseBash('[[ -f a ]] && cat <<< b &> c')).toMatch(
    /^`\[\[ \]\]` is bash, .* The same holds for `<<<`, `&>`\.$/,
  );
});

test.each(listed`
  ls 2>&1 ¦ ls > x 2>&1 ¦ echo $((1 + 2)) ¦ echo "{a,b}" ¦ echo {a} ¦ f() { ls; }; f ¦ . ./x ¦ set -eu ¦ [ a = b ] ¦ read -r x
  ¦ awk '{print $1,$2}' a ¦ find . -name "*.{a,b}" ¦ find . -exec ls {} + ¦ xargs -I{} ls {} ¦ bash -c '[[ -f a ]]'
  ¦ trap ls EXIT ¦ git show HEAD@{1} ¦ echo -n a ¦ printf %s a ¦ curl -w %{http_code} x`)(
  'sh is given: %s',
  (command) => {
    expect(refuseBash(command)).toBeUndefined();
  },
);
