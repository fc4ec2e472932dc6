import { posix } from 'node:path';
import { type CommandKind, type Finding, finding, type ReadCommand, type ReadRedirect } from './command-reading.ts';
import { isStream, isSystemAt, isTold, operandsOf, type ShellWord, valuesOf } from './shell-words.ts';

/** Whether it takes its commands as a text. */
export function isShell(program: string): boolean {
  return /^(?:sh|bash|dash|ash|zsh|ksh|mksh|rbash|fish|csh|tcsh)$/.test(program);
}

const languages = `python python2 python3 node nodejs deno bun perl ruby php lua luajit tclsh expect Rscript R julia osascript
  pwsh powershell ghci irb groovy scala java gdb ts-node tsx guile racket emacs vim vi nvim ed ex sqlite3 psql mysql`;
const interpreters: ReadonlySet<string> = new Set(languages.split(/\s+/));

/** The language whose code a program runs: of Python with its version in its name, too. */
export function interpreterOf(program: string): string | undefined {
  return [program, program.replace(/[\d.]+$/, '')].find((name) => interpreters.has(name));
}

/** The name of a program without its folder. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the program is looked for where the system keeps its own, and not a file that anybody may have written. */
export function isSystemProgram(path: string): boolean {
  return !path.includes('/') || /^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(path);
}

/** Variables by which another program or library is run, or found elsewhere. */
export function isPowerfulVariable(name: string): boolean {
  return /^(?:(?:LD|DYLD|BASH|NODE|GIT|SSH|RSYNC|JAVA|NPM|npm|PIP|CARGO|SUDO|XDG)_\w+|ENV|PATH|IFS|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|\w*PAGER|EDITOR|VISUAL|BROWSER|SHELL|HOME|CLASSPATH|CC|CXX|GCONV_PATH|_JAVA_OPTIONS|JDK_\w+|MAVEN_OPTS|(?:TAR|GREP)_OPTIONS|(?:PYTHON|PERL|RUBY|RUSTC|LESS|MAKE)\w*|(?:GEM_|MAN|GO)\w+|\w+_(?:proxy|PROXY))$/.test(
    name,
  );
}

/** Stands for the files that find lists. */
export const everyFound = '{found}';

/** What is known of a program: which commands of it are meant; left out, all of them. */
interface Risk {
  readonly kind: CommandKind;
  readonly programs: ReadonlySet<string>;
  /** What it is told to do: the first word that is no option. */
  readonly verb?: RegExp;
  /** Each of these fits one of its words. */
  readonly words?: readonly RegExp[];
  /** None of its words fits. */
  readonly unless?: RegExp;
}

function risk(kind: CommandKind, programs: string, condition: Pick<Risk, 'verb' | 'words' | 'unless'> = {}): Risk {
  return { kind, programs: new Set(programs.trim().split(/\s+/)), ...condition };
}

const remover = 'rm grm srm wipe';
const boxes = 'docker podman';
const asksOfItself = /^(?:--?version|-V|--help|help)$/;

/** What is known to be risky, and nothing else: a command that is not here may do anything. */
const risks: readonly Risk[] = [
  risk('recursive_deletion', remover, { words: [/^-[^-]*[rR]|^--r/, /^-[^-]*f|^--f/] }),
  risk('recursive_deletion', remover, { words: [/^\{found\}$/] }),
  risk('recursive_deletion', 'rimraf rmtree'),
  risk('recursive_deletion', 'find', { words: [/^-delete$/] }),
  risk('recursive_deletion', 'git', { words: [/^clean$/, /^-[^-]*f|^--force$/, /^-[^-]*[dxX]/] }),
  risk('recursive_deletion', 'git', { words: [/^rm$/, /^-[^-]*f|^--force$/, /^-[^-]*r/] }),
  // Not to understand the code, but to notice what it says openly.
  risk('recursive_deletion', languages, {
    words: [
      /rmtree|rm_rf|remove_tree|rmSync\([^)]{0,300}recursive|\brm\s{1,9}(?:-\w{1,9}\s{1,9}){0,9}-\w{0,9}(?:r\w{0,9}f|f\w{0,9}r)/i,
    ],
  }),
  risk('deletion', `${remover} unlink rmdir shred trash trash-put gvfs-trash`),
  risk('deletion', 'git', { words: [/^(?:clean|rm)$/], unless: /^--dry-run$|^-n$/ }),
  risk('deletion', 'rsync', { words: [/^--(?:del|remove-s)/] }),
  risk('deletion', 'tar zip', { words: [/^--remove-f/] }),
  risk('deletion', `${boxes} kubectl`, { verb: /^(?:rm|rmi|prune|delete|down|kill|stop)$/ }),
  risk('deletion', boxes, { words: [/^(?:container|image|volume|network|system|builder)$/, /^(?:rm|prune)$/] }),

  // Packages, users, services, disks, kernel, firewall, tasks, power.
  risk(
    'system_change',
    `apt-get aptitude dpkg-reconfigure yum dnf microdnf zypper pacman yay paru apk snap flatpak port emerge nix-env
    installer softwareupdate useradd userdel usermod adduser deluser addgroup delgroup groupadd groupdel groupmod
    gpasswd passwd chpasswd chage chsh chfn visudo vipw vigr update-rc.d chkconfig initctl launchctl umount swapon
    swapoff losetup cryptsetup fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard lvcreate lvremove lvresize
    lvextend pvcreate pvremove vgcreate vgremove vgreduce mdadm resize2fs tune2fs xfs_growfs fsck e2fsck badblocks
    hdparm insmod rmmod modprobe depmod kexec iptables ip6tables iptables-restore ip6tables-restore nft ufw
    firewall-cmd ipset ebtables arptables at batch anacron shutdown reboot halt poweroff init telinit setenforce
    setsebool chcon restorecon semanage update-grub grub-install grub-mkconfig update-initramfs mkinitcpio dracut
    efibootmgr nvram csrutil spctl update-alternatives ldconfig chroot pivot_root mknod ifup ifdown brctl route setcap
    rfkill authconfig pam-auth-update loadkeys systemd-run nixos-rebuild do-release-upgrade mkfs mkswap`,
  ),
  risk('system_change', 'apt', { verb: /^(?!(?:list|search|show|depends|rdepends|policy|help)$)/ }),
  risk('system_change', 'brew', { verb: /^(?!(?:list|ls|search|info|desc|outdated|config|doctor|deps|uses|help)$)/ }),
  risk('system_change', 'systemctl', { verb: /^(?!(?:status|show|cat|help|is-\w+|list-[\w-]+|get-default)?$)/ }),
  risk('system_change', 'service rc-service mount', { verb: /./ }),
  risk('system_change', 'loginctl', { verb: /^(?!(?:list-[\w-]+|show[\w-]*|[\w-]*status)?$)/ }),
  risk('system_change', 'hostnamectl localectl timedatectl networkctl', {
    verb: /^(?!(?:status|show[\w-]*|list[\w-]*|timesync-status)?$)/,
  }),
  risk('system_change', 'zfs zpool', { verb: /^(?!(?:list|get|diff|status|iostat|history)$)/ }),
  risk('system_change', 'apt-mark apt-key', { verb: /^(?!(?:show\w+|list|finger)$)/ }),
  risk('system_change', 'nmcli', { verb: /^(?!(?:general)?$)/ }),
  risk('system_change', 'mount', { words: [/^-[^-]*[aoBMRO]|^--(?:all|opt|bind|move|rbind|source|target)/] }),
  risk('system_change', 'dpkg', { unless: /^-[^-]*[lLsSpcI]|^--(?:list|listfiles|status|search|version)$/ }),
  risk('system_change', 'rpm', { unless: /^-[^-]*[qV]|^--(?:query|verify|version)$/ }),
  risk('system_change', 'crontab', { words: [/^/], unless: /^-l$/ }),
  risk('system_change', 'date', { words: [/^-[^-]*s|^--set|^\d+(?:\.\d+)?$/], unless: /^-[dr]$/ }),
  risk('system_change', 'hwclock', { words: [/^/], unless: /^-r$|^--show$/ }),
  risk('system_change', 'hostname domainname', { words: [/^[^-]|^-[FB]/] }),
  risk('system_change', 'sysctl', { words: [/^-[^-]*[wpf]|^--(?:write|load|system)|=/] }),
  risk('system_change', 'ifconfig', { words: [/^(?:up|down|add|del|hw|mtu|netmask|[\d.]+)$/] }),
  risk('system_change', 'dmesg', { words: [/^-[^-]*[cCDEn]|^--(?:clear|console-l)/] }),
  risk('system_change', 'ip', {
    words: [/^(?:add?|d|del(?:ete)?|set|change|replace|append|flush|exec|up|down|attach|-b(?:atch)?)$/],
  }),
  risk('system_change', 'journalctl', { words: [/^--(?:vacuum|rotate|flush|sync)/] }),
  risk('system_change', 'npm pnpm yarn', {
    verb: /^(?:i|in|install|add|rm|un\w*|remove|link|update)$/,
    words: [/^-[^-]*g|^--global$/],
  }),
  risk('system_change', 'git', { words: [/^config$/, /^--(?:global|system)$/] }),
  risk('system_change', boxes, {
    words: [/^(?:-v=?|--volume=?)?\/(?:etc|usr|root|home|var\/run)?\/?:|^--privileged$|source=\/,/],
  }),

  risk('privilege', 'sudo doas su pkexec runuser'),

  risk('upload', 'curl curlie', { words: [/^-[a-zA-Z#]*[dFT]|^--(?:data|form|upload|json|url-q|mail-f)/] }),
  risk('upload', 'curl curlie http https xh', { words: [/^(?:-[a-zA-Z]*X|--request=?)?(?:POST|PUT|PATCH|DELETE)$/] }),
  risk('upload', 'http https xh', { words: [/^[\w-]+(?::?=@?|@)./] }),
  risk('upload', 'wget wget2', { words: [/^--(?:post|body|method)/] }),
  risk('upload', 'scp rsync', { words: [/^[^/-][^/]*:|^rsync:/] }),
  risk('upload', 'git', { words: [/^(?:push|send-email|imap-send)$/] }),
  risk('upload', 'mail mailx mutt sendmail msmtp swaks tftp'),
  risk('upload', 'socat', { words: [/^(?:file|open|exec|gopen):/i] }),
  risk(
    'upload',
    'aws gcloud gsutil az s3cmd rclone gh heroku vercel netlify skopeo oras restic borg helm terraform docker podman npm pnpm yarn cargo gem poetry uv',
    {
      verb: /^(?:publish|push|put|mput|upload|deploy|sync|s3)$/,
    },
  ),
  risk('upload', 'getent host dig drill nslookup ping whois logger', { words: [/[$`]/] }),

  risk(
    'network_listener',
    `ngrok cloudflared localtunnel lt bore frps frpc chisel sshd dropbear nginx apache2 httpd lighttpd caddy vsftpd
    proftpd pure-ftpd telnetd in.telnetd inetd xinetd redis-server mysqld mariadbd postgres mongod memcached dnsmasq
    named tinyproxy squid gunicorn uvicorn hypercorn waitress-serve daphne jupyter jupyter-notebook jupyter-lab
    http-server live-server serve json-server webpack-dev-server code-server ttyd gotty shellinabox wetty smbd nmbd
    rpcbind nfsd tftpd atftpd gpsd x11vnc vncserver Xvnc tigervncserver xrdp rsyncd icecast2 mosquitto ftpd tcpsvd
    udpsvd tcpserver websockify sslh haproxy envoy traefik tailscaled zerotier-one syncthing transmission-daemon
    gdbserver`,
    { unless: asksOfItself },
  ),
  risk('network_listener', 'python python2 python3', {
    words: [/^-?m?(?:http\.server|SimpleHTTPServer|pyftpdlib|aiohttp\.web|uvicorn|gunicorn|flask|twisted\S*|jupyter)$/],
  }),
  risk('network_listener', languages, {
    words: [
      /createServer|\.listen\s*\(|HTTPServer|TCPServer|socketserver|\.bind\s*\(\s*\(|IO::Socket::INET[^;]{0,300}Listen|LocalPort/,
    ],
  }),
  risk('network_listener', 'node nodejs', { words: [/^--inspect[\w-]*=(?:0\.0\.0\.0|\[?::|\*)/] }),
  risk('network_listener', 'nc ncat netcat pwncat', { words: [/^-[^-]*l|^--l/] }),
  risk('network_listener', 'socat', {
    words: [/listen|recvfrom|(?:^|[,:])(?:tcp[46]?|udp[46]?|sctp[46]?|unix|openssl|vsock)-l:/i],
  }),
  risk('network_listener', 'ssh autossh', { words: [/^-[^-]*[RLDw]|^(?:-o)?(?:Local|Remote|Dynamic)Forward/i] }),
  risk('network_listener', 'php', { words: [/^-[^-]*S/] }),
  risk('network_listener', 'openssl', { verb: /^s_server$/ }),
  risk('network_listener', 'iperf iperf3 websocat', { words: [/^-[^-]*s|^--server$/] }),
  risk('network_listener', 'uwsgi', { words: [/^--(?:http|socket|fastcgi)/] }),
  risk('network_listener', 'tailscale', { verb: /^(?:serve|funnel|up)$/ }),
  risk('network_listener', 'rclone hugo jekyll mkdocs ollama ng rails flask vite next astro', {
    verb: /^(?:serve?r?|s|run|dev|preview|start)$/,
  }),
  risk('network_listener', 'vite', { verb: /^$/ }),
  risk('network_listener', 'rsync', { words: [/^--daemon$/] }),
  risk('network_listener', 'git', { words: [/^(?:daemon|instaweb)$/] }),
  risk('network_listener', 'kubectl', { verb: /^(?:port-forward|proxy)$/ }),
  risk('network_listener', boxes, {
    words: [/^(?:-p\S*|-P|--publish(?:-all)?(?:=.*)?|--network=host|--net=host)$/],
  }),

  risk(
    'network',
    `curl wget wget2 aria2c axel http https httpie xh curlie lynx w3m links elinks telnet ftp lftp ncftp tftp sftp ssh
    mosh autossh scp rsync nc ncat netcat socat websocat dig drill nslookup host whois ping ping6 traceroute tracepath
    mtr nmap masscan arping gh glab hub aws gcloud gsutil az doctl flyctl heroku vercel netlify kubectl helm terraform
    mail mailx mutt sendmail msmtp swaks s3cmd rclone restic borg ntpdate irssi weechat smbclient ldapsearch snmpwalk
    redis-cli mongosh mongo grpcurl hey ab wrk siege youtube-dl yt-dlp speedtest speedtest-cli iperf iperf3 tailscale
    npx bunx uvx skopeo crane oras ipfs transmission-cli`,
    { unless: asksOfItself },
  ),
  risk('network', 'git', {
    words: [/^(?:push|pull|fetch|clone|ls-remote|submodule|send-email|lfs|svn|p4|request-pull|imap-send)$/],
  }),
  risk('network', 'npm pnpm yarn bun', {
    verb: /^(?:|i|in|ins|install|add|ci|update|up|upgrade|audit|publish|view|info|search|outdated|exec|x|dlx|create|init|login|whoami|ping|pack|dist-tag|deprecate|unpublish|access|token|it|cit|fetch)$/,
    unless: /^--version$/,
  }),
  risk('network', 'pip pip3 pipx uv poetry gem bundle composer', {
    verb: /^(?:install|download|search|index|wheel|run|upgrade|upgrade-all|inject|pip|sync|add|tool|lock|publish|python|update|fetch|push|require|create-project)$/,
  }),
  risk('network', 'cargo go', {
    verb: /^(?:install|add|update|publish|fetch|search|login|build|b|test|t|run|r|check|c|get|mod)$/,
  }),
  risk('network', boxes, { verb: /^(?:pull|push|login|run|build|buildx|compose|search)$/ }),
  risk('network', 'brew', { verb: /^(?:install|upgrade|update|fetch|tap|search)$/ }),
  risk('network', 'openssl', { verb: /^s_client$/ }),

  // What runs code that does not stand in the command, or stands there in a language that is not the shell's.
  risk('hidden_code', languages, { unless: /^(?:--version|--help|-V)$/ }),
  risk(
    'hidden_code',
    `make gmake ninja cmake ctest bazel gradle gradlew mvn ant sbt lein rake just task npx bunx uvx pnpx pytest tox nox
    jest vitest mocha ava tap playwright cypress eslint prettier webpack rollup vite next astro ng tsc tsup
    ansible ansible-playbook vagrant packer docker-compose source . mix rebar3 stack cabal dotnet meson scons
    phpunit rspec invoke fab pre-commit husky lerna nx turbo storybook electron act tilt skaffold entr parallel
    ld.so mapfile readarray complete enable bind hash bun screen tmux less more`,
    { unless: /^--version$/ },
  ),
  risk('hidden_code', 'npm', {
    verb: /^(?:test|t|tst|run|run-script|start|stop|restart|exec|x|i|in|install|ci|add|create|init|rebuild|pack|publish|update|up|explore|it)$/,
  }),
  risk('hidden_code', 'pnpm yarn', { verb: /^(?!(?:list|ls|why|outdated|config|view|info)$)/ }),
  risk('hidden_code', 'pip pip3 pipx uv poetry bundle', {
    verb: /^(?:install|wheel|download|run|pip|sync|tool|add|shell|exec|)$/,
  }),
  risk('hidden_code', 'cargo', { verb: /^(?!(?:tree|metadata|search|locate-project|fmt)$)/, unless: /^--version$/ }),
  risk('hidden_code', 'go', { verb: /^(?:run|test|generate|build|install|tool|get|vet)$/ }),
  risk('hidden_code', 'gem composer', { verb: /^(?!(?:list|search|show|why|outdated)$)/ }),
  risk('hidden_code', `${boxes} kubectl`, {
    verb: /^(?:run|exec|build|buildx|compose|start|restart|create|apply|debug)$/,
  }),
  risk('hidden_code', 'git', {
    words: [
      /^-c$|^-c\S*=|^--(?:git-dir|config-env|exec-path|upload-p|receive-p|ext-diff|exec|extcmd|open-files)|^-O|^ext::|^(?:submodule|bisect|filter-branch|difftool|mergetool|rebase|hook|maintenance|gui|gitk|instaweb|svn|p4)$/,
    ],
  }),
  risk('hidden_code', 'tar bsdtar', { words: [/^--(?:checkpoint-a|to-c|use-c|rsh|info|new-v|rmt)|^-[a-zA-Z]*[IF]$/] }),
  risk('hidden_code', 'awk gawk mawk nawk', {
    words: [/system\s*\(|\||getline|^-[filE]|^--(?:file|exec|include|load)|@/],
  }),
  risk('hidden_code', 'sed gsed', { words: [/^-[nErsuz]*f|^--fi/] }),
  risk('hidden_code', 'let unset read getopts printf test [ export declare typeset readonly local', {
    words: [
      /\[[^\]]{0,200}[$`]|^(?:LD_|DYLD_|PATH|BASH_ENV|ENV|NODE_|PYTHON|PERL|RUBY|GIT_|\w*PAGER|IFS|PROMPT_|PS\d|SHELL|EDITOR|VISUAL|LESS)/,
    ],
  }),
  risk('hidden_code', 'ssh scp sftp rsync', { words: [/^-[a-zA-Z]*[SF]$|^-[a-zA-Z]*o|^-e|^--rsh/] }),
  risk('hidden_code', 'curl wget', { words: [/^-K|^--config|^--execute|^--use-askpass/] }),

  risk('permission_change', 'chmod chown chgrp chattr setfacl setcap'),
  risk('process_ending', 'kill pkill killall xkill skill', { unless: /^-[lL]/ }),
  risk('process_ending', 'ss fuser', { words: [/^-[^-]*[Kk]|^--kill/] }),

  risk(
    'writing',
    `cp mv ln install tee touch mkdir mkfifo mktemp truncate dd split csplit patch sponge rename zip unzip gzip gunzip
    bzip2 bunzip2 xz unxz zstd unzstd lz4 7z 7za rar unrar bsdtar cpio ar rsync convert magick mogrify ffmpeg sox
    pandoc dos2unix unix2dos ctags etags strip gcc cc g++ clang ld as gpg ssh-keygen age wkhtmltopdf fallocate script
    qpdf pdftk wget scp sftp`,
    { unless: /^--(?:version|help)$/ },
  ),
  risk('writing', 'tar', { unless: /^-?[a-zA-Z]*t[a-zA-Z]*$|^--(?:list|version)$/ }),
  risk('writing', 'tar', { words: [/^-?[a-zA-Z]*[xcruA][a-zA-Z]*$|^--(?:ex|g|c|ap|u|de)/] }),
  risk('writing', 'sed gsed', { words: [/^-[a-zA-Z]*i|^--in-p/] }),
  risk('writing', 'sort shuf tree iconv msgfmt', { words: [/^-[a-zA-Z]*o|^--o/] }),
  risk('writing', 'find', { words: [/^-f(?:print|ls)/] }),
  risk('writing', 'curl', { words: [/^-[a-zA-Z]*[oOJ]|^--(?:out|remote-n)/] }),
  risk('writing', 'git', {
    words: [
      /^--outp|^(?:add|am|apply|checkout|cherry-pick|clean|clone|commit|fetch|gc|init|merge|mv|pull|reset|restore|revert|rm|stage|switch|update-index|update-ref|rebase)$/,
    ],
  }),
  risk('writing', 'npm pnpm yarn pip pip3 cargo go', {
    verb: /^(?:i|in|ins\w*|ci|add|un\w*|r|rm|remove|up|update|upgrade|init|create|link|download|mod|new|clean|fmt|build|b)$/,
  }),
];

/** A command with what is known of what comes into it. */
type RiskyCall = Pick<ReadCommand, 'program' | 'programPath' | 'words' | 'assignments' | 'redirects' | 'folders'> & {
  /** Its input is a pipe. */
  readonly isPiped: boolean;
  /** What comes in answers every question with yes. */
  readonly isAnswered: boolean;
};

/** What is known to be risky of a command by itself; what the commands do that it runs is found with them. */
export function risksOf(call: RiskyCall): readonly Finding[] {
  const { assignments, redirects, program, programPath, words, folders } = call;
  const around = [
    ...assignments.flatMap(({ name }) => (isPowerfulVariable(name) ? [finding('hidden_code', name)] : [])),
    ...redirects.flatMap((redirect) => ofRedirect(redirect, folders)),
  ];
  if (program === '') return around;
  const operands = operandsOf(words);
  const verb = verbOf(program, words, operands);
  const names = [program, interpreterOf(program) ?? program, program.replace(/\..*$/, '')];
  const texts = words.map(({ text }) => text);
  const found = risks.filter(
    ({ programs, verb: told, words: patterns, unless }) =>
      names.some((name) => programs.has(name)) &&
      told?.test(verb) !== false &&
      patterns?.every((pattern) => texts.some((text) => pattern.test(text))) !== false &&
      !(unless !== undefined && texts.some((text) => unless.test(text))),
  );
  const system = touched(program, words, operands).filter((word) => isSystemAt(word, folders));
  return [
    ...around,
    ...(programPath === undefined || isSystemProgram(programPath) ? [] : [finding('hidden_code', programPath)]),
    ...found.map(({ kind }) => finding(kind, ...concerned(kind, program, verb, words))),
    ...ofInput(call),
    ...(system.length === 0 ? [] : [finding('system_change', ...system.map(({ text }) => text))]),
  ];
}

function ofRedirect({ operator, target }: ReadRedirect, folders: readonly string[]): readonly Finding[] {
  const { text } = target;
  // A name for the network, as bash has it.
  if (/^\/dev\/(?:tcp|udp)\//.test(posix.normalize(text))) return [finding('network', text), finding('upload', text)];
  if (operator.startsWith('<') && operator !== '<>') return [];
  if ((operator === '>&' && /^(?:\d+-?|-)$/.test(text)) || (isTold(target) && isStream(text))) return [];
  return [finding(isSystemAt(target, folders) ? 'system_change' : 'writing', text)];
}

/** What comes in by a pipe may make it another matter. */
function ofInput({ program, words, redirects, isPiped, isAnswered }: RiskyCall): readonly Finding[] {
  if (!isPiped && !redirects.some(({ operator }) => operator.startsWith('<'))) return [];
  if (/^(?:nc|ncat|netcat|socat|ssh|telnet|websocat|http|https|xh)$/.test(program)) return [finding('upload', program)];
  if (program === 'crontab' && words.length === 0) return [finding('system_change', program)];
  const isRecursive = words.some(({ text }) => /^-[^-]*[rR]|^--r/.test(text));
  return isAnswered && isRecursive && /^g?rm$/.test(program) ? [finding('recursive_deletion')] : [];
}

/** What a program is told to do. With git it may stand behind options with values. */
function verbOf(program: string, words: readonly ShellWord[], operands: readonly ShellWord[]): string {
  if (program !== 'git') return operands[0]?.text ?? '';
  const takesValue = /^(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/;
  const verb = words.find(({ text }, at) => !text.startsWith('-') && !takesValue.test(words[at - 1]?.text ?? ''));
  return verb?.text ?? '';
}

/** What people read of it: paths, hosts, or the program. */
function concerned(kind: CommandKind, program: string, verb: string, words: readonly ShellWord[]): readonly string[] {
  const operands = operandsOf(words).map(({ text }) => text);
  const paths = operands.filter((text) => text !== everyFound && text !== '{}');
  if (/deletion/.test(kind)) {
    if (program === 'git' || interpreterOf(program) !== undefined) return [];
    return program === 'find' ? paths.slice(0, 1) : paths;
  }
  if (kind === 'permission_change') return paths.slice(1);
  if (kind === 'process_ending') return paths;
  if (kind === 'writing') {
    if (/^(?:cp|mv|ln|install|rsync|scp)$/.test(program)) return paths.slice(-1);
    const named = valuesOf(words, 'o', 'output').map(({ text }) => text);
    if (named.length > 0) return named;
    return /^(?:tee|touch|mkdir|truncate|patch|sponge)$/.test(program) ? paths : [program];
  }
  if (kind === 'network' || kind === 'upload') return [addressed(program, words, operands) ?? program];
  const isTool = /^(?:npm|pnpm|yarn|bun|cargo|go|docker|podman|git|pip3?|uv|poetry)$/.test(program);
  return [kind === 'hidden_code' && isTool && verb !== '' ? `${program} ${verb}` : program];
}

/** The host that a command talks to; of git the whole URL, without the login in it. */
function addressed(program: string, words: readonly ShellWord[], operands: readonly string[]): string | undefined {
  const found = (pattern: RegExp) => words.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []).at(-1);
  if (program === 'git') {
    const url = found(/^([a-z][a-z0-9+.-]*:\/\/.+)/i);
    return url?.replace(/\/\/[^/?#\s]*@/, '//') ?? operands[1];
  }
  const host = found(/^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/?#:\s]+)/i);
  if (host !== undefined) return host;
  if (/^(?:scp|rsync)$/.test(program)) return found(/^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/);
  const name = operands.find((text) => /^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?$/.test(text));
  return name?.replace(/^.*@/, '').split('/', 1)[0];
}

/** The operands that a command changes. */
function touched(program: string, words: readonly ShellWord[], operands: readonly ShellWord[]): readonly ShellWord[] {
  const behind = (option: RegExp) => words.filter((_, at) => option.test(words[at - 1]?.text ?? ''));
  if (/^(?:tar|unzip)$/.test(program)) return behind(/^-(?:[a-z]*C|d)$|^--directory$/);
  if (/^(?:curl|wget)$/.test(program)) return behind(/^-(?:\w*[oOP])$|^--output/);
  if (/^(?:sed|perl)$/.test(program))
    return words.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text)) ? operands : [];
  if (program === 'dd')
    return words.flatMap((word) => (word.text.startsWith('of=') ? [{ ...word, text: word.text.slice(3) }] : []));
  const changesLast = /^(?:cp|install|ln|rsync|scp)$/.test(program);
  const changesAll =
    /^(?:mv|tee|touch|mkdir|truncate|chmod|chown|chgrp|chattr|setfacl|patch|sponge|rm|unlink|rmdir|shred)$/;
  if (!changesLast && !changesAll.test(program)) return [];
  return [...(changesLast ? operands.slice(-1) : operands), ...valuesOf(words, 't', 'target-directory')];
}
