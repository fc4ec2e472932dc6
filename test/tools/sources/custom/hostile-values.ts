import { SeededRandom } from '../../../support/random.ts';

/** What shells, programs, templates and terminals give a meaning to. Each is divided from the next by a broken bar. */
const fragments: readonly string[] =
  `; id¦&& id¦|| id¦| id¦& id¦\nid\n¦\r\nid¦$(id)¦\`id\`¦$\{IFS}id¦$IFS¦$HOME¦$1¦$@¦$$¦'¦"¦''¦""¦')¦")¦$(¦))¦#¦\
'\\''¦\\¦\\\\¦\\'¦\\"¦'; id #¦"; id #¦\`¦$\{¦ # ¦*¦?¦[a-z]*¦~¦~root¦{a,b}¦{1..9}¦!¦!!¦!(x)¦@(a|b)¦>out¦<in¦>>out¦\
2>&1¦<(id)¦<<EOF¦EOF¦\nEOF\n¦{{b}}¦{{x}}¦{{ p0 }}¦{{p1}}¦{{}}¦{{¦}}¦$keyturn_1¦"$keyturn_1"¦$\{keyturn_1}¦%s¦%n¦\
%d%d¦\\n¦\\0¦\\x41¦-¦--¦-n¦-e¦-rf¦--help¦--version¦-c¦--eval=1¦-oProxyCommand=id¦=¦A=B¦PATH=/tmp¦keyturn_1=x¦ ¦\
  ¦\t¦ \t ¦\n¦\n\n¦a\nb¦a\tb¦\u00a0¦\u200b¦\u202e¦\ufeff¦\u0001¦\u001b[31m¦\u007f¦\u0085¦\ue000¦é¦ß¦漢字¦🙂¦\
👨‍👩‍👧¦𝒳¦../../etc/passwd¦/dev/null¦file:///etc/passwd¦a[$(id)]¦x=$(id)¦e\u0301¦\u0660¦() { :; }¦if¦then¦do¦\
done¦esac¦{¦}¦[[¦(¦)¦;;¦&¦|¦;¦<¦>¦true¦null¦0¦-1¦1e9`.split('¦');

const whole: readonly string[] = [
  '',
  '\n',
  ' ',
  '-',
  '--',
  'x'.repeat(100_000),
  "'".repeat(50_000),
  '$(id)'.repeat(20_000),
  `${'漢'.repeat(30_000)}'`,
  `"${'\\'.repeat(9999)}`,
  `${'{{b}}'.repeat(5000)}; id`,
];

/** Five hundred strings, all different, that anything but one argument could be made of. The same ones every time. */
export function hostileValues(): readonly string[] {
  const random = new SeededRandom(20_251_121);
  const values = new Set([...whole, ...fragments]);
  while (values.size < 500) {
    const length = random.integer(2, 6);
    values.add(
      Array.from({ length }, () =>
        random.chance(0.2) ? 'word' : (fragments[random.integer(0, fragments.length - 1)] ?? ''),
      ).join(''),
    );
  }
  return [...values];
}
