import type { Assessed } from './assessed.ts';
import { type Finding, finding } from './command-kind.ts';

/** Programs that are there to be connected to. */
const servers: ReadonlySet<string> = new Set(
  `ngrok cloudflared localtunnel lt bore frps frpc chisel sshd dropbear nginx apache2 httpd lighttpd caddy vsftpd
  proftpd pure-ftpd telnetd in.telnetd inetd xinetd redis-server mysqld mariadbd postgres mongod memcached dnsmasq
  named tinyproxy squid gunicorn uvicorn hypercorn waitress-serve daphne jupyter jupyter-notebook jupyter-lab
  http-server live-server serve json-server webpack-dev-server code-server ttyd gotty shellinabox wetty smbd nmbd
  rpcbind nfsd tftpd atftpd gpsd x11vnc vncserver Xvnc tigervncserver xrdp rsyncd icecast2 mosquitto ftpd tcpsvd
  udpsvd websockify sslh haproxy envoy traefik tailscaled zerotier-one syncthing transmission-daemon`.split(/\s+/),
);

/** What lets others connect. */
export function assessListening(command: Assessed): readonly Finding[] {
  return listens(command) ? [finding('network_listener', command.program)] : [];
}

function listens({ program, words, options, verb }: Assessed): boolean {
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text));
  if (servers.has(program)) return !isOnlyTold(program, words);
  if (/^python[\d.]*$/.test(program)) {
    return (
      has(/^-?m?(?:http\.server|SimpleHTTPServer|pyftpdlib|aiohttp\.web|uvicorn|gunicorn|flask|twisted\S*|jupyter)$/) ||
      hasServerCode(words)
    );
  }
  switch (program) {
    case 'nc':
    case 'ncat':
    case 'netcat':
    case 'pwncat':
      return options.hasLetter('l') || options.hasName('listen');
    case 'socat':
      return has(/listen|recvfrom|(?:^|[,:])(?:tcp[46]?|udp[46]?|sctp[46]?|unix|openssl|vsock)-l:/i);
    case 'ssh':
    case 'autossh':
      return options.hasLetter('RLDw') || has(/^(?:Local|Remote|Dynamic)Forward|^-o(?:Local|Remote|Dynamic)Forward/i);
    case 'php':
      return options.hasLetter('S');
    case 'openssl':
      return verb === 's_server';
    case 'iperf':
    case 'iperf3':
    case 'websocat':
      return options.hasLetter('s') || options.hasName('server');
    case 'tailscale':
      return /^(?:serve|funnel|up)$/.test(verb);
    case 'rclone':
    case 'hugo':
    case 'jekyll':
    case 'mkdocs':
    case 'ollama':
    case 'ng':
      return /^serve?r?$/.test(verb);
    case 'flask':
      return verb === 'run';
    case 'rails':
      return /^s(?:erver)?$/.test(verb);
    case 'vite':
    case 'next':
    case 'astro':
      return /^(?:|dev|serve|preview|start)$/.test(verb);
    case 'gdbserver':
      return true;
    case 'rsync':
      return options.hasName('daemon');
    case 'git':
      return has(/^(?:daemon|instaweb)$/);
    case 'kubectl':
      return /^(?:port-forward|proxy)$/.test(verb);
    case 'docker':
    case 'podman':
      return has(/^(?:-p\S*|-P|--publish(?:-all)?(?:=.*)?|--network=host|--net=host)$/);
    default:
      return hasServerCode(words);
  }
}

/** Behind other options these may mean something else. */
function isOnlyTold(program: string, words: Assessed['words']): boolean {
  const isTrial = /^(?:nginx|apache2|httpd|sshd)$/.test(program) && words.some(({ text }) => text === '-t');
  return isTrial || (words.length === 1 && /^(?:--?version|-V|--help)$/.test(words[0]?.text ?? ''));
}

/** Code in an argument that opens a port. */
function hasServerCode(words: Assessed['words']): boolean {
  const isCode = words.some(({ text }) => /^-{1,2}(?:\w*[cerEn]|eval|print|run|execute)$/.test(text));
  return (
    isCode &&
    words.some(({ text }) =>
      /createServer|\.listen\s*\(|HTTPServer|TCPServer|socketserver|\.bind\s*\(\s*\(|IO::Socket::INET[^;]{0,300}Listen|LocalPort|fsockopen_server/.test(
        text,
      ),
    )
  );
}
