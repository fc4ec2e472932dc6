import { naughtyStrings } from '../../../support/markdown-examples.ts';

/** How deep below the outermost folder the workspace lies: so far up, a way out ends in a folder that is looked after. */
export const depth = 8;

/** Ways to write "one folder up", as people, URLs, old decoders and other systems do. */
const stepsUp = [
  ...`../ ..// ./../ .././ x/../../ inside/../../ again/../../ %2e%2e%2f %2e%2e/ ..%2f ..%5c %2e%2e%5c
    %252e%252e%252f ..%252f %c0%ae%c0%ae/ ..%c0%af ..%ef%bc%8f %u002e%u002e%u2215 ....// .../ ..;/ &#46;&#46;/
    $PWD/../ "../"`.split(/\s+/),
  '..\\',
  '..\ufffd\ufffd',
  '\ufffd\ufffd\ufffd\ufffd/',
  '....\\/',
  '..\\/',
  '\\..\\',
  '\uff0e\uff0e/',
  '\u2024\u2024/',
  '\u2025/',
  '..\u2215',
  '..\u2044',
  '..\uff0f',
  '..\u29f8',
  '..\uff3c',
  '\u202e../',
  '\u200b../',
  '..\u200b/',
  '.\u0307./',
  ' ../',
  '.. /',
  '..\t/',
  '..\n/',
  '..\0/',
  '../\0',
  '\ud800../',
  '\\x2e\\x2e\\x2f',
  '\\u002e\\u002e/',
  '$(echo ..)/',
];

/** Every link that the test lays out in the workspace leads outside, or into one that does. */
export const trapLinks = `up out chain-1 root proc inside/back inside/deep/chain dots again-out`.split(/\s+/);

/** What every system has. A test that writes does not try these: were the guard broken, it would break the system. */
export const systemFiles = ['/etc/passwd', '/proc/self/environ', '/proc/self/cmdline', '/dev/zero', '/dev/stdin'];

/** Paths that try to leave a workspace for `outside/secret.txt` beside it, or above, or for one of the absolute paths. */
export function traversalStrings(targets: readonly string[]): readonly string[] {
  const tail = 'outside/secret.txt';
  const up = stepsUp.flatMap((step) => [1, 2, 3, depth].map((times) => step.repeat(times) + tail));
  return [...new Set([...up, ...absolute(targets), ...throughLinks(targets), ...special, ...naughty()])];
}

/** Ways to write an absolute path, which stands for `@`. */
const absoluteForms = [
  ...`@ /@ //@ /.@ /./.@ file://@ file:@ @/ @/. @%00.txt .@/../..@ /proc/self/root@
    /proc/self/cwd/../../../../../../../../../..@ /proc/1/root@ /dev/fd/../../..@ ~/../../../../../../../../..@ ~root/..@
    ~@ $HOME/..@ \\\\?\\@ C:@ -@ inside//..//..@ root@ proc/root@`.split(/\s+/),
  '@\0.txt',
  ' @',
  '\ufeff@',
];

function absolute(targets: readonly string[]): readonly string[] {
  return targets.flatMap((path) => [
    ...absoluteForms.map((form) => form.replaceAll('@', () => path)),
    `\\\\localhost\\c$${path.replaceAll('/', '\\')}`,
    ...['%2f', '\\', '\u2215'].map((slash) => path.replaceAll('/', slash)),
    path.toUpperCase(),
  ]);
}

/** What stands behind a link that leads out. */
const behindLinks =
  `/ /. /.. /secret.txt /new.txt /outside/secret.txt /outside/new.txt /../outside/secret.txt /./secret.txt
  //secret.txt`.split(/\s+/);

function throughLinks(targets: readonly string[]): readonly string[] {
  return trapLinks.flatMap((link) => [
    `./inside/../${link}/secret.txt`,
    ...['', ...behindLinks, ...targets].map((rest) => link + rest),
  ]);
}

const special = [
  ...`secret-link secret-chain secret-hard dangling dangling/new.txt loop loop/loop/secret.txt zero null memory
    pipe socket pipe/x . .. / ~ *`.split(/\s+/),
  '.. ',
  '..\r',
  '\0',
];

function naughty(): readonly string[] {
  return naughtyStrings().filter((text) => text !== '');
}
