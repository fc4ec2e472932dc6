import type { Assessed } from './assessed.ts';
import { type Finding, finding } from './command-kind.ts';

/** Programs that do nothing without the network. */
const talkers: ReadonlySet<string> = new Set(
  `curl wget wget2 aria2c axel http https httpie xh curlie lynx w3m links elinks telnet ftp lftp ncftp tftp sftp ssh
  mosh autossh scp rsync nc ncat netcat socat websocat dig drill nslookup host whois ping ping6 traceroute tracepath
  mtr nmap masscan arping gh glab hub aws gcloud gsutil az doctl flyctl heroku vercel netlify kubectl helm terraform
  mail mailx mutt sendmail msmtp swaks s3cmd rclone restic borg ntpdate irssi weechat smbclient ldapsearch snmpwalk
  redis-cli mongosh mongo grpcurl hey ab wrk siege youtube-dl yt-dlp speedtest speedtest-cli iperf iperf3 tailscale
  npx bunx uvx skopeo crane oras ipfs transmission-cli`.split(/\s+/),
);

/** Of programs that work here, too: what they need the network for. */
const networkVerbs: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:push|pull|fetch|clone|ls-remote|submodule|remote-\w+|send-email|archive|lfs|svn|p4|request-pull|imap-send)$/,
  ],
  [
    'npm',
    /^(?:i|in|ins|install|add|ci|update|up|upgrade|audit|publish|view|info|search|outdated|exec|x|create|init|login|whoami|ping|pack|dist-tag|deprecate|unpublish|access|token|install-test|it|cit)$/,
  ],
  ['pnpm', /^(?:i|install|add|update|up|audit|publish|dlx|create|fetch|outdated)$/],
  ['yarn', /^(?:|install|add|upgrade|up|audit|publish|dlx|create|info|npm)$/],
  ['bun', /^(?:i|install|add|update|x|create|publish)$/],
  ['pip', /^(?:install|download|search|index|wheel)$/],
  ['pip3', /^(?:install|download|search|index|wheel)$/],
  ['pipx', /^(?:install|run|upgrade|upgrade-all|inject)$/],
  ['uv', /^(?:pip|sync|add|tool|run|lock|publish|python)$/],
  ['poetry', /^(?:install|add|update|publish|lock)$/],
  ['cargo', /^(?:install|add|update|publish|fetch|search|login|build|b|test|t|run|r|check|c)$/],
  ['go', /^(?:get|install|mod|build|test|run)$/],
  ['gem', /^(?:install|update|fetch|push|search)$/],
  ['bundle', /^(?:|install|update|add)$/],
  ['composer', /^(?:install|update|require|create-project)$/],
  ['docker', /^(?:pull|push|login|run|build|buildx|compose|search)$/],
  ['podman', /^(?:pull|push|login|run|build|compose|search)$/],
  ['brew', /^(?:install|upgrade|update|fetch|tap|search)$/],
  ['openssl', /^s_client$/],
]);

/** What talks to other machines, and what sends them data. */
export function assessNetwork(command: Assessed): readonly Finding[] {
  const { program, verb } = command;
  const isTalking = talkers.has(program) || networkVerbs.get(program)?.test(verb) === true;
  if (!isTalking || isOnlyTold(command)) return [];
  const hosts = hostsOf(command);
  const sent = hosts.length === 0 ? [] : [...sentBy(command), ...hosts.slice(-1)];
  return [...(sends(command) ? [finding('upload', ...sent)] : []), finding('network', ...named(command, hosts))];
}

function named({ program }: Assessed, hosts: readonly string[]): readonly string[] {
  return hosts.length > 0 ? hosts : [program];
}

function isOnlyTold({ words }: Assessed): boolean {
  return words.length === 1 && /^(?:--version|-V|--help)$/.test(words[0]?.text ?? '');
}

function sends(command: Assessed): boolean {
  const { program, words, options, verb, hasInput } = command;
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text));
  switch (program) {
    case 'curl':
    case 'curlie':
      return (
        has(/^-[a-zA-Z#]*[dFT]|^--(?:data|form|upload|json|url-q|mail-f)/) ||
        has(/^(?:-X|--request=?)?(?:POST|PUT|PATCH|DELETE)$/)
      );
    case 'wget':
    case 'wget2':
      return has(/^--(?:post|body|method)/);
    case 'http':
    case 'https':
    case 'xh':
      return hasInput || has(/^(?:POST|PUT|PATCH|DELETE)$|^[\w-]+(?::?=@?|@)./);
    case 'scp':
    case 'rsync':
      return /^[^/]+:|^rsync:/.test(options.operands.at(-1)?.text ?? '');
    case 'nc':
    case 'ncat':
    case 'netcat':
    case 'socat':
    case 'ssh':
    case 'telnet':
    case 'websocat':
      return hasInput || (program === 'socat' && has(/^(?:file|open|exec|gopen):/i));
    case 'git':
      return /^(?:push|send-email|imap-send)$/.test(verb);
    case 'mail':
    case 'mailx':
    case 'mutt':
    case 'sendmail':
    case 'msmtp':
    case 'swaks':
    case 'tftp':
      return true;
    default:
      return has(/^(?:publish|push|put|mput|upload|deploy|sync|cp|copy)$/);
  }
}

/** The files that are sent, as far as the options name them. */
function sentBy({ program, words, options }: Assessed): readonly string[] {
  if (program === 'curl') {
    const values = [
      ...options.valuesOf('T', 'upload-file'),
      ...options.valuesOf('d', 'data', 'data-binary', 'data-raw', 'data-urlencode'),
      ...options.valuesOf('F', 'form'),
    ];
    return values.flatMap(
      (value) =>
        /(?:^|=)@?([\w./~-]+)$/.exec(value.includes('@') ? value.replace(/^.*@/, '@') : `=${value}`)?.[1] ?? [],
    );
  }
  if (program === 'git') return ['commits'];
  if (program === 'scp' || program === 'rsync') return options.operands.slice(0, -1).map(({ text }) => text);
  return words.flatMap(({ text }) => /^--(?:post|body)-file=(.+)$/.exec(text)?.[1] ?? []);
}

function hostsOf({ program, words, options }: Assessed): readonly string[] {
  const urls = words.flatMap(({ text }) => /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/?#:\s]+)/i.exec(text)?.[1] ?? []);
  if (urls.length > 0) return urls;
  if (program === 'ssh') return options.operands.slice(0, 1).map(({ text }) => text.replace(/^.*@/, ''));
  if (program === 'git') return options.operands.slice(1, 2).map(({ text }) => text);
  if (program === 'scp' || program === 'rsync') {
    return words.flatMap(({ text }) => /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/.exec(text)?.[1] ?? []);
  }
  if (!talkers.has(program)) return [];
  const host = options.operands.find(({ text }) => /^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?$/.test(text));
  return host === undefined ? [] : [host.text.replace(/^.*@/, '').split('/', 1)[0] ?? host.text];
}
