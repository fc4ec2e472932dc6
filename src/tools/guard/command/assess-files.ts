import type { Assessed } from './assessed.ts';
import { type Finding, finding } from './command-kind.ts';

/** Programs that look, or say something, and nothing else unless an option makes them. */
const readers: ReadonlySet<string> = new Set(
  `: true false [ test echo printf pwd cd pushd popd dirs ls dir vdir tree cat tac head tail less more bat nl wc cut
  paste join comm uniq sort shuf tr rev fold fmt pr expand unexpand column grep egrep fgrep rg ag ack zgrep zcat bzcat
  xzcat diff diff3 sdiff cmp diffstat colordiff find fd fdfind locate mlocate plocate which whereis type hash stat file
  basename dirname realpath readlink du df free vmstat iostat top htop ps pgrep pstree pidof uptime w who whoami id
  groups users last lastlog logname uname arch nproc lscpu lsblk lsusb lspci lsmod lsof lshw hostname hostid date cal
  ncal env printenv locale tty getent getconf ulimit umask jobs history help man info apropos whatis md5sum sha1sum
  sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 od hexdump xxd strings jq yq xmllint seq yes
  factor expr bc dc numfmt sleep wait clear reset read shift exit return break continue let getopts export declare
  typeset readonly local unset set shopt trap alias unalias look tsort cmark sensors ss netstat ip ifconfig dmesg
  journalctl sysctl mount namei acpi crontab dpkg rpm nm objdump readelf ldd size c++filt pdftotext pdfinfo identify
  exiftool mediainfo ffprobe sw_vers sysinfo neofetch lsattr getfacl getcap ipcs zipinfo hwclock domainname
  lsb_release timedatectl tokei cloc scc exa eza lsd watch time xsel pbpaste msgfmt iconv getopt openssl command xclip
  docker podman kubectl logger fc-list localectl caller compgen`.split(/\s+/),
);

/** Programs that make or change files. */
const writers: ReadonlySet<string> = new Set(
  `cp mv ln install tee touch mkdir mkfifo mktemp truncate dd split csplit patch sponge rename zip unzip gzip gunzip
  bzip2 bunzip2 xz unxz zstd unzstd lz4 7z 7za rar unrar tar bsdtar cpio ar rsync convert magick mogrify ffmpeg sox
  pandoc dos2unix unix2dos ctags etags strip gcc cc g++ clang ld as cmark-gfm git-lfs gpg ssh-keygen age minify
  wkhtmltopdf fallocate script git sqlite-utils qpdf pdftk curl wget scp sftp npm pnpm yarn pip pip3 cargo go black
  gofmt rustfmt shfmt`.split(/\s+/),
);

const gitReading =
  /^(?:|status|log|diff|show|blame|annotate|rev-parse|rev-list|ls-files|ls-tree|ls-remote|describe|shortlog|cat-file|grep|merge-base|name-rev|for-each-ref|count-objects|whatchanged|cherry|help|version|var|check-ignore|check-attr|diff-tree|diff-index|diff-files|show-ref|show-branch|verify-commit|verify-tag|fsck|range-diff)$/;

const gitWriting =
  /^(?:add|am|apply|branch|bundle|checkout|cherry-pick|clean|clone|commit|config|fetch|gc|init|lfs|merge|mv|notes|pack-refs|prune|pull|push|reflog|remote|replace|reset|restore|revert|rm|sparse-checkout|stash|switch|tag|update-index|update-ref|worktree|write-tree|read-tree|format-patch|archive|repack|stage|symbolic-ref|hash-object|commit-tree|mktag|mktree|rerere)$/;

/** What looks at files and changes them, changes their rights, or ends processes. */
export function assessFiles(command: Assessed): readonly Finding[] {
  const { program, words, options } = command;
  const paths = options.operands.map(({ text }) => text);
  switch (program) {
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'chattr':
    case 'setfacl':
    case 'setcap':
      return [finding('permission_change', ...paths.slice(1))];
    case 'kill':
    case 'pkill':
    case 'killall':
    case 'xkill':
    case 'skill':
      return options.hasLetter('lL') ? [finding('reading', program)] : [finding('process_ending', ...paths)];
    case 'ss':
      return [
        options.hasLetter('K') || options.hasName('kill')
          ? finding('process_ending', ...paths)
          : finding('reading', program),
      ];
    case 'fuser':
      return [options.hasLetter('k') ? finding('process_ending', ...paths) : finding('reading', program)];
    case 'git':
      return ofGit(command);
    case 'sed':
      return [writesBySed(words) ? finding('writing', ...paths.slice(1)) : finding('reading', 'sed')];
    default:
      return ofOthers(command, paths);
  }
}

function ofOthers(command: Assessed, paths: readonly string[]): readonly Finding[] {
  const { program, words } = command;
  if (isVersionOnly(words) && (readers.has(program) || writers.has(program))) return [finding('reading', program)];
  if (writesByOption(command)) return [finding('writing', ...writtenPaths(command))];
  if (['docker', 'podman', 'kubectl'].includes(program)) return ofContainers(command);
  if (readers.has(program)) return [finding('reading', program)];
  if (!writers.has(program)) return [];
  if (program === 'tar' && isTarListing(words)) return [finding('reading', program)];
  if (['curl', 'wget', 'scp', 'sftp', 'npm', 'pnpm', 'yarn', 'pip', 'pip3', 'cargo', 'go'].includes(program))
    return ofTools(command);
  return [finding('writing', ...(['cp', 'mv', 'ln', 'install', 'rsync'].includes(program) ? paths.slice(-1) : paths))];
}

/** What tar does stands in its first word, or in an option. */
function isTarListing(words: Assessed['words']): boolean {
  const letters = words.flatMap(({ text }, index) => {
    const cluster = index === 0 ? /^-?([a-zA-Z]+)$/.exec(text) : /^-([a-zA-Z]+)$/.exec(text);
    return cluster?.[1] ?? [];
  });
  if (words.some(({ text }) => /^--(?:ex|g|c|ap|u|de)/.test(text)) || /[xcruA]/.test(letters.join(''))) return false;
  return letters.some((cluster) => cluster.includes('t')) || words.some(({ text }) => text === '--list');
}

function isVersionOnly(words: Assessed['words']): boolean {
  return words.length === 1 && words[0]?.isKnown === true && /^(?:--version|--help)$/.test(words[0].text);
}

/** Tools that write only for some of what they can do. */
function ofTools({ program, verb, options }: Assessed): readonly Finding[] {
  if (program === 'curl')
    return options.hasLetter('oOJ') || options.hasName('output', 'remote-name') ? [finding('writing')] : [];
  if (program === 'wget') return [finding('writing')];
  if (program === 'scp' || program === 'sftp') return [finding('writing')];
  const isLooking =
    /^(?:list|ls|la|ll|view|info|outdated|search|why|config|help|version|env|show|freeze|check|tree|metadata|doc|root|prefix|bin|explain)$/;
  if (isLooking.test(verb)) return [finding('reading', program)];
  return /^(?:i|in|ins\w*|ci|add|un\w*|r|rm|remove|up|update|upgrade|init|create|link|download|mod|new|clean|fmt|build|b)$/.test(
    verb,
  )
    ? [finding('writing')]
    : [];
}

function ofContainers({ program, verb, options }: Assessed): readonly Finding[] {
  if (/^(?:ps|images|logs|inspect|version|info|stats|top|port|diff|history|get|describe|explain|events)$/.test(verb)) {
    return [finding('reading', program)];
  }
  const [first = '', second = '', ...others] = options.operands.map(({ text }) => text);
  const removal = /^(?:rm|rmi|prune|delete|down|kill|stop)$/;
  if (removal.test(first)) return [finding('deletion', second, ...others)];
  const isOfKind = /^(?:container|image|volume|network|system|compose|builder)$/.test(first);
  return isOfKind && removal.test(second) ? [finding('deletion', ...others)] : [finding('unknown', program)];
}

function ofGit({ words, options, verb }: Assessed): readonly Finding[] {
  const isOutput = words.some(({ text }) => /^--outp/.test(text));
  if (gitReading.test(verb) && !isOutput) return [finding('reading', verb === '' ? 'git' : `git ${verb}`)];
  if (isGitListing(verb, words)) return [finding('reading', `git ${verb}`)];
  if (verb === 'push') return [];
  if (gitWriting.test(verb) || isOutput) return [finding('writing', '.git')];
  // Any other word may be an alias of the repository's.
  return options.operands.length === 0 ? [finding('reading', 'git')] : [finding('unknown', `git ${verb}`)];
}

function isGitListing(verb: string, words: Assessed['words']): boolean {
  const after = words.slice(words.findIndex(({ text }) => text === verb) + 1).map(({ text }) => text);
  if (verb === 'stash') return after[0] === 'list' || after[0] === 'show';
  if (verb === 'remote') return after.every((word) => word === '-v') || after[0] === 'get-url' || after[0] === 'show';
  if (verb === 'branch' || verb === 'tag')
    return after.every((word) => /^-(?:[arvl]+|-(?:list|all|remotes|show-current|merged|no-merged))$/.test(word));
  if (verb === 'worktree') return after[0] === 'list';
  if (verb === 'reflog') return after.length === 0 || after[0] === 'show';
  return verb === 'config' && /^(?:-l|--list|--get(?:-all|-regexp)?|get|list)$/.test(after[0] ?? '');
}

function writesBySed(words: Assessed['words']): boolean {
  const texts = words.map(({ text }) => text.replace(/^--e[a-z]*=/, ''));
  return texts.some((text) => /^(?:-[a-zA-Z]*i|--in-p)|(?:^|[;\n{}\d$/!])\s*w\s*\S|\/[gpI\d]*w\s/.test(text));
}

function writesByOption({ program, words, options }: Assessed): boolean {
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text));
  switch (program) {
    case 'sort':
    case 'shuf':
    case 'tree':
      return options.hasLetter('o') || options.hasName('output');
    case 'uniq':
      return options.operands.length > 1;
    case 'find':
      return has(/^-f(?:print|ls)/);
    case 'xxd':
      return options.operands.length > 1;
    case 'yq':
    case 'xmllint':
      return has(/^(?:-[a-zA-Z]*i|--inplace|--in-place|--output)/);
    case 'iconv':
    case 'msgfmt':
    case 'sdiff':
    case 'info':
      return options.hasLetter('o') || options.hasName('output');
    case 'openssl':
      return has(/^-(?:out|keyout|writerand)/);
    case 'exiftool':
      return has(/^-[^\s=]*=|^-(?:o|overwrite\w*)$/);
    case 'pdftotext':
      return options.operands.at(-1)?.text !== '-';
    case 'history':
      return options.hasLetter('wac');
    case 'script':
    case 'mktemp':
      return true;
    case 'black':
    case 'gofmt':
    case 'rustfmt':
    case 'shfmt':
      return !has(/^--(?:check|diff)$|^-[dl]$/) || has(/^-w$/);
    default:
      return false;
  }
}

function writtenPaths({ program, options }: Assessed): readonly string[] {
  const named = options.valuesOf('o', 'output');
  if (named.length > 0 && program !== 'mktemp') return named;
  return options.operands.slice(-1).map(({ text }) => text);
}
