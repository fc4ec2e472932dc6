import { posix } from 'node:path';
import {
  type CommandKind,
  commandKinds,
  type Finding,
  finding,
  isSystemProgram,
  type ReadCommand,
  type ReadRedirect,
} from './command-reading.ts';
import {
  anyOf,
  isAmong,
  isStream,
  isSystemAt,
  isTold,
  joined,
  operandsOf,
  type ShellWord,
  valuesOf,
} from './shell-words.ts';

export function isShell(program: string): boolean {
  return isAmong(program, 'sh bash dash ash zsh ksh mksh rbash fish csh tcsh');
}

const interpreters: ReadonlySet<string> = new Set(
  `python python2 python3 pypy ipython node nodejs deno bun perl ruby php lua luajit tclsh expect Rscript R julia
  osascript elixir iex erl clojure clj sbcl octave swift kotlin jshell yash posh nu xonsh elvish pwsh powershell ghci
  irb groovy scala java gdb m4 ts-node tsx guile racket emacs vim vi nvim ed ex sqlite3 psql mysql`.split(/\s+/),
);

/** The language whose code a program runs. A version in its name is ignored. */
export function interpreterOf(program: string): string | undefined {
  return [program, program.replace(/[\d.]+$/, '')].find((name) => interpreters.has(name));
}

/** Variables that make other programs or libraries run, or change where they are found. */
export function isPowerfulVariable(name: string): boolean {
  return powerfulVariables.test(name) || steersShell(name);
}

/** Variables by which a shell runs more than a text says, or splits its words differently. */
export function steersShell(name: string): boolean {
  return steeringVariables.test(name);
}

const steeringVariables = anyOf(
  String.raw`IFS ENV PS[0-4] PROMPT_COMMAND SHELLOPTS BASHOPTS GLOBIGNORE EXECIGNORE BASH_\S+ LD_\w+`,
);

const powerfulVariables = anyOf(String.raw`(?:LD|DYLD|BASH|NODE|GIT|SSH|RSYNC|JAVA|NPM|npm|PIP|CARGO|SUDO|XDG)_\w+
  ENV PATH IFS PS[0-4] PROMPT_COMMAND SHELLOPTS BASHOPTS CDPATH \w*PAGER EDITOR VISUAL BROWSER SHELL HOME CLASSPATH CC
  CXX GCONV_PATH _JAVA_OPTIONS JDK_\w+ MAVEN_OPTS (?:TAR|GREP)_OPTIONS (?:PYTHON|PERL|RUBY|RUSTC|LESS|MAKE)\w*
  (?:GEM_|MAN|GO)\w+ \w+_(?:proxy|PROXY)`);

/** Stands for the files that `find` lists. */
export const everyFound = '{found}';

/**
 * Known risks, and nothing else: a command that is not here may do anything. Below a kind, each line names programs,
 * then conditions that must all hold: `=` matches the verb (the first word that is not an option), `:` one of the
 * words, `!` none of them; an `i` after it ignores case. Code of languages is not parsed: only obvious parts are
 * matched.
 */
const risks = String.raw`
recursive_deletion
  rm grm srm wipe : ^-[^-]*[rR]|^--r : ^-[^-]*f|^--f
  rm grm srm wipe : ^\{found\}$
  rimraf rmtree
  find : ^-delete$
  tar bsdtar : ^--rem
  zip : ^-[^-]*m|^--mo : ^-[^-]*r|^--rec
  git : ^clean$ : ^-[^-]*f|^--f(?:o|or|orc|orce)?$ : ^-[^-]*[dxX]
  git : ^rm$ : ^-[^-]*f|^--f(?:o|or|orc|orce)?$ : ^-[^-]*r
  {languages} :i rmtree|rm_rf?\b|remove_tree|removedirs|\brm(?:dir)?(?:Sync)?\([^)]{0,300}recursive|\brm\s{1,9}(?:-\w{1,9}\s{1,9}){0,9}-\w{0,9}r
  make gmake just ninja :i \brm\s{1,9}(?:-\w{1,9}\s{1,9}){0,9}-\w{0,9}r
  {languages} :i ["'\x60]rm["'\x60]\s{0,9},[\s\[]{0,9}(?:["'\x60]-\w{1,9}["'\x60]\s{0,9},\s{0,9}){0,9}["'\x60]-\w{0,9}r
deletion
  rm grm srm wipe unlink rmdir shred trash trash-put gvfs-trash
  git : ^(?:clean|rm)$ ! ^--dry-run$|^-n$
  rsync : ^--(?:del|remove-s)
  tar bsdtar : ^--rem
  zip : ^-[^-]*m|^--mo
  gio = ^trash$
  rclone = ^(?:purge|delete|deletefile|rmdirs?|cleanup)$
  gsutil gcloud aws az s3cmd gh glab : ^(?:rm|rb|del|delete|remove)$
  terraform = ^destroy$
  dropdb
  docker podman kubectl = ^(?:rm|rmi|prune|delete|down|kill|stop)$
  docker podman : ^(?:container|image|volume|network|system|builder)$ : ^(?:rm|prune)$
system_change
  apt-get aptitude dpkg-reconfigure yum dnf microdnf zypper pacman yay paru apk snap flatpak port emerge nix-env
      installer softwareupdate useradd userdel usermod adduser deluser addgroup delgroup groupadd groupdel groupmod
      gpasswd passwd chpasswd chage chsh chfn visudo vipw vigr update-rc.d chkconfig initctl launchctl umount swapon
      swapoff losetup cryptsetup fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard lvcreate lvremove lvresize
      lvextend pvcreate pvremove vgcreate vgremove vgreduce mdadm resize2fs tune2fs xfs_growfs fsck e2fsck badblocks
      hdparm insmod rmmod modprobe depmod kexec iptables ip6tables iptables-restore ip6tables-restore nft ufw
      firewall-cmd ipset ebtables arptables at batch anacron shutdown reboot halt poweroff init telinit setenforce
      setsebool chcon restorecon semanage update-grub grub-install grub-mkconfig update-initramfs mkinitcpio dracut
      efibootmgr nvram csrutil spctl update-alternatives ldconfig chroot pivot_root mknod ifup ifdown brctl route
      setcap rfkill authconfig pam-auth-update loadkeys systemd-run nixos-rebuild do-release-upgrade mkfs mkswap
  apt = ^(?!(?:list|search|show|depends|rdepends|policy|help)$)
  brew = ^(?!(?:list|ls|search|info|desc|outdated|config|doctor|deps|uses|help)$)
  systemctl = ^(?!(?:status|show|cat|help|is-\w+|list-[\w-]+|get-default)?$)
  service rc-service mount = .
  loginctl = ^(?!(?:list-[\w-]+|show[\w-]*|[\w-]*status)?$)
  hostnamectl localectl timedatectl networkctl = ^(?!(?:status|show[\w-]*|list[\w-]*|timesync-status)?$)
  zfs zpool = ^(?!(?:list|get|diff|status|iostat|history)$)
  apt-mark apt-key = ^(?!(?:show\w+|list|finger)$)
  nmcli = ^(?!(?:general)?$)
  mount : ^-[^-]*[aoBMRO]|^--(?:all|opt|bind|move|rbind|source|target)
  dpkg ! ^-[^-]*[lLsSpcI]|^--(?:list|listfiles|status|search|version)$
  rpm ! ^-[^-]*[qV]|^--(?:query|verify|version)$
  crontab : ^ ! ^-l$
  date : ^-[^-]*s|^--set|^\d+(?:\.\d+)?$ ! ^-[dr]$
  hwclock : ^ ! ^-r$|^--show$
  hostname domainname : ^[^-]|^-[FB]
  sysctl : ^-[^-]*[wpf]|^--(?:write|load|system)|=
  ifconfig : ^(?:up|down|add|del|hw|mtu|netmask|[\d.]+)$
  dmesg : ^-[^-]*[cCDEn]|^--(?:clear|console-l)
  ip : ^(?:add?|d|del(?:ete)?|set|change|replace|append|flush|exec|up|down|attach|-b(?:atch)?)$
  journalctl : ^--(?:vacuum|rotate|flush|sync)
  npm pnpm yarn = ^(?:i|in|install|add|rm|un\w*|remove|link|update)$ : ^-[^-]*g|^--global$
  git : ^config$ : ^--(?:global|system)$
  docker podman : ^(?:-v=?|--volume=?)?\/(?:etc|usr|root|home|var\/run)?\/?:|^--privileged$|source=\/,
privilege
  sudo doas su pkexec runuser
upload
  curl curlie : ^-[a-zA-Z#]*[dFT]|^--(?:data|form|up|json|url-q|mail-f)
  curl curlie wget wget2 http https xh lynx w3m links aria2c : ^(?:-\w*)?(?:[a-z]+:\/\/|[\w-]+:|[^-]*[?=&]).*(?:\$\((?!\()|\x60)
  curl curlie wget wget2 : ^-[^-]*[AHbeu]|^--(?:user|header|cookie|referer) : \$\((?!\()|\x60
  curl curlie http https xh : ^(?:-[a-zA-Z]*X|--request=?)?(?:POST|PUT|PATCH|DELETE)$
  http https xh : ^[\w-]+(?::?=@?|@).
  wget wget2 : ^--(?:post|body|method)
  scp rsync : ^[^/-][^/]*:|^rsync:
  git : ^(?:push|send-email|imap-send)$
  mail mailx mutt sendmail msmtp swaks tftp
  socat :i ^(?:file|open|exec|gopen):
  aws gcloud gsutil az s3cmd rclone gh heroku vercel netlify skopeo oras restic borg helm terraform docker podman
      npm pnpm yarn cargo gem poetry uv
      = ^(?:publish|push|put|mput|upload|deploy|sync|s3)$
  getent host dig drill nslookup ping whois logger : [$\x60]
  gsutil gcloud az rclone mc : ^(?:cp|mv|copy\w*|move\w*|rcat|bisync|rsync|mirror|pipe|upload\S*)$
  gh glab hub : ^(?:create|upload|comment|edit|POST|PUT|PATCH|DELETE)$
  gh glab : ^api$ : ^-[fF]|^--(?:field|raw-f|input)
  twine = ^upload$
  python python2 python3 : ^-?m?twine$ : ^upload$
  ftp sftp lftp ncftp smbclient : \bm?(?:put|mirror -R)\b
  lynx : ^-post_data$
  w3m : ^-post$
  logger : ^-[^-]*n|^--server
  awk gawk : /inet[46]?/
network_listener
  ngrok cloudflared localtunnel lt bore frps frpc chisel sshd dropbear nginx apache2 httpd lighttpd caddy vsftpd
      proftpd pure-ftpd telnetd in.telnetd inetd xinetd redis-server mysqld mariadbd postgres mongod memcached dnsmasq
      named tinyproxy squid gunicorn uvicorn hypercorn waitress-serve daphne jupyter jupyter-notebook jupyter-lab
      http-server live-server serve json-server webpack-dev-server code-server ttyd gotty shellinabox wetty smbd nmbd
      rpcbind nfsd tftpd atftpd gpsd x11vnc vncserver Xvnc tigervncserver xrdp rsyncd icecast2 mosquitto ftpd tcpsvd
      udpsvd tcpserver websockify sslh haproxy envoy traefik tailscaled zerotier-one syncthing transmission-daemon
      gdbserver
      ! ^(?:--?version|-V|--help|help)$
  python python2 python3 : ^-?m?(?:http\.server|SimpleHTTPServer|pyftpdlib|aiohttp\.web|uvicorn|gunicorn|flask|twisted\S*|jupyter)$
  {languages} : createServer|\.listen\s*\(|HTTPServer|TCPServer|socketserver|\.bind\s*\(\s*\(|IO::Socket::INET[^;]{0,300}Listen|LocalPort
  node nodejs : ^--inspect[\w-]*=(?:0\.0\.0\.0|\[?::|\*)
  nc ncat netcat pwncat : ^-[^-]*l|^--l
  socat :i listen|recvfrom|(?:^|[,:])(?:tcp[46]?|udp[46]?|sctp[46]?|unix|openssl|vsock)-l:
  ssh autossh :i ^-[^-]*[RLDw]|^(?:-o)?(?:Local|Remote|Dynamic)Forward
  php : ^-[^-]*S
  openssl = ^s_server$
  iperf iperf3 websocat : ^-[^-]*s|^--server$
  uwsgi : ^--(?:http|socket|fastcgi)
  tailscale = ^(?:serve|funnel|up)$
  rclone hugo jekyll mkdocs ollama ng rails flask vite next astro = ^(?:serve?r?|s|run|dev|preview|start)$
  vite = ^$
  rsync : ^--daemon$
  git : ^(?:daemon|instaweb)$
  kubectl = ^(?:port-forward|proxy)$
  docker podman : ^(?:-p\S*|-P|--publish(?:-all)?(?:=.*)?|--network=host|--net=host)$
network
  curl wget wget2 aria2c axel http https httpie xh curlie lynx w3m links elinks telnet ftp lftp ncftp tftp sftp
      ssh mosh autossh scp rsync nc ncat netcat socat websocat dig drill nslookup host whois ping ping6 traceroute
      tracepath mtr nmap masscan arping gh glab hub aws gcloud gsutil az doctl flyctl heroku vercel netlify kubectl
      helm terraform mail mailx mutt sendmail msmtp swaks s3cmd rclone restic borg ntpdate irssi weechat smbclient
      ldapsearch snmpwalk redis-cli mongosh mongo grpcurl hey ab wrk siege youtube-dl yt-dlp speedtest speedtest-cli
      iperf iperf3 tailscale npx bunx uvx skopeo crane oras ipfs transmission-cli
      ! ^(?:--?version|-V|--help|help)$
  git : ^(?:push|pull|fetch|clone|ls-remote|submodule|send-email|lfs|svn|p4|request-pull|imap-send)$
  npm pnpm yarn bun = ^(?:|i|in|ins|install|add|ci|update|up|upgrade|audit|publish|view|info|search|outdated|exec|x|dlx|create|init|login|whoami|ping|pack|dist-tag|deprecate|unpublish|access|token|it|cit|fetch)$ ! ^--version$
  pip pip3 pipx uv poetry gem bundle composer = ^(?:install|download|search|index|wheel|run|upgrade|upgrade-all|inject|pip|sync|add|tool|lock|publish|python|update|fetch|push|require|create-project)$
  cargo go = ^(?:install|add|update|publish|fetch|search|login|build|b|test|t|run|r|check|c|get|mod)$
  docker podman = ^(?:pull|push|login|run|build|buildx|compose|search)$
  brew = ^(?:install|upgrade|update|fetch|tap|search)$
  openssl = ^s_client$
hidden_code
  {languages} ! ^(?:--version|--help|-V)$
  make gmake ninja cmake ctest bazel gradle gradlew mvn ant sbt lein rake just task npx bunx uvx pnpx pytest tox
      nox jest vitest mocha ava tap playwright cypress eslint prettier webpack rollup vite next astro ng tsc tsup
      ansible ansible-playbook vagrant packer docker-compose source . mix rebar3 stack cabal dotnet meson scons
      phpunit rspec invoke fab pre-commit husky lerna nx turbo storybook electron act tilt skaffold entr parallel
      ld.so mapfile readarray complete enable bind hash bun screen tmux less more
      ! ^--version$
  npm = ^(?:test|t|tst|run|run-script|start|stop|restart|exec|x|i|in|install|ci|add|create|init|rebuild|pack|publish|update|up|explore|it)$
  pnpm yarn = ^(?!(?:list|ls|why|outdated|config|view|info)$)
  pip pip3 pipx uv poetry bundle = ^(?:install|wheel|download|run|pip|sync|tool|add|shell|exec|)$
  cargo = ^(?!(?:tree|metadata|search|locate-project|fmt)$) ! ^--version$
  go = ^(?:run|test|generate|build|install|tool|get|vet)$
  gem composer = ^(?!(?:list|search|show|why|outdated)$)
  docker podman kubectl = ^(?:run|exec|build|buildx|compose|start|restart|create|apply|debug)$
  git : ^-c$|^-c\S*=|^--(?:git-dir|config-env|exec-path|upload-p|receive-p|ext-diff|exec|extcmd|open-files)|^-O|^ext::|^(?:submodule|bisect|filter-branch|difftool|mergetool|rebase|hook|maintenance|gui|gitk|instaweb|svn|p4)$
  tar bsdtar : ^--(?:checkpoint-a|to-c|use-c|rsh|info|new-v|rmt)|^-[a-zA-Z]*[IF]$
  awk gawk mawk nawk : system\s*\(|\||getline|^-[filE]|^--(?:file|exec|include|load)|@
  sed gsed : ^-[nErsuz]*f|^--fi
  let unset read getopts printf test [ export declare typeset readonly local : \[[^\]]{0,200}[$\x60]|^(?:LD_|DYLD_|PATH|BASH_ENV|ENV|NODE_|PYTHON|PERL|RUBY|GIT_|\w*PAGER|IFS|PROMPT_|PS\d|SHELL|EDITOR|VISUAL|LESS)
  ssh scp sftp rsync : ^-[a-zA-Z]*[SF]$|^-[a-zA-Z]*o|^-e|^--rsh
  curl wget : ^-K|^--config|^--execute|^--use-askpass
unknown
  dd : ^iflag=\S*noatime
  tar bsdtar : ^--atime-p
  rsync : ^--open-n
permission_change
  chmod chown chgrp chattr setfacl setcap
process_ending
  kill pkill killall xkill skill ! ^-[lL]
  ss fuser : ^-[^-]*[Kk]|^--kill
writing
  cp mv ln install tee touch mkdir mkfifo mktemp truncate dd split csplit patch sponge rename zip unzip gzip
      gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 7z 7za rar unrar bsdtar cpio ar rsync convert magick mogrify ffmpeg
      sox pandoc dos2unix unix2dos ctags etags strip gcc cc g++ clang ld as gpg ssh-keygen age wkhtmltopdf fallocate
      script qpdf pdftk wget scp sftp
      ! ^--(?:version|help)$
  tar ! ^-?[a-zA-Z]*t[a-zA-Z]*$|^--(?:list|version)$
  tar : ^-?[a-zA-Z]*[xcruA][a-zA-Z]*$|^--(?:ex|g|c|ap|u|de)
  sed gsed : ^-[a-zA-Z]*i|^--in-p
  sort shuf tree iconv msgfmt : ^-[a-zA-Z]*o|^--o
  find : ^-f(?:print|ls)
  curl : ^-[a-zA-Z]*[oOJ]|^--(?:out|remote-n)
  git : ^--outp|^(?:add|am|apply|checkout|cherry-pick|clean|clone|commit|fetch|gc|init|merge|mv|pull|reset|restore|revert|rm|stage|switch|update-index|update-ref|rebase)$
  npm pnpm yarn pip pip3 cargo go = ^(?:i|in|ins\w*|ci|add|un\w*|r|rm|remove|up|update|upgrade|init|create|link|download|mod|new|clean|fmt|build|b)$
`
  .trim()
  .split(/\n(?=\w)/)
  .flatMap((section) => {
    const [name = '', ...rows] = section.split(/\n {2}(?! )/);
    const kind = commandKinds.find((known) => known === name);
    if (kind === undefined) throw new Error(`"${name}" is no kind of command`);
    return rows.map((row) => {
      const [programs = '', ...conditions] = row.split(/\s+(?=[=:!]i? )/);
      return {
        kind,
        programs: programs === '{languages}' ? interpreters : new Set(programs.split(/\s+/)),
        conditions: conditions.map((text) => {
          const [, sign = '', flags, pattern = ''] = /^(.)(i?) (.*)$/s.exec(text) ?? [];
          return { sign, pattern: new RegExp(pattern, flags) };
        }),
      };
    });
  });

type RiskyCall = Omit<ReadCommand, 'findings'>;

/** The known risks of a command by itself. The commands that it runs have their own findings. */
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
  const takesCode = interpreterOf(program) !== undefined || isAmong(program, 'make gmake just ninja');
  // Code may run what stands behind it.
  const code = takesCode ? [...codeGiven(call), ...joined(words)] : [];
  const texts = [...words, ...code].map(({ text }) => text);
  const found = risks.filter(
    ({ programs, conditions }) =>
      names.some((name) => programs.has(name)) &&
      conditions.every(({ sign, pattern }) => {
        if (sign === '=') return pattern.test(verb);
        return texts.some((text) => pattern.test(text)) === (sign === ':');
      }),
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

/** Code on the input of an interpreter, as far as the text has it. */
function codeGiven({ redirects, upstream }: RiskyCall): readonly ShellWord[] {
  const here = (from: readonly ReadRedirect[]) =>
    from.filter(({ operator }) => operator.startsWith('<')).map(({ target }) => target);
  const printed = upstream.filter(({ program }) => isAmong(program, 'echo printf cat tee'));
  return [
    ...here(redirects),
    ...printed.flatMap((command) => [...command.words, ...joined(command.words), ...here(command.redirects)]),
  ];
}

function ofRedirect({ operator, target }: ReadRedirect, folders: readonly string[]): readonly Finding[] {
  const { text } = target;
  // bash's name for a network connection.
  if (/^\/dev\/(?:tcp|udp)\//.test(posix.normalize(text))) return [finding('network', text), finding('upload', text)];
  if (operator.startsWith('<') && operator !== '<>') return [];
  if ((operator === '>&' && /^(?:\d+-?|-)$/.test(text)) || (isTold(target) && isStream(text))) return [];
  return [finding(isSystemAt(target, folders) ? 'system_change' : 'writing', text)];
}

/** Input from a pipe may change what a command does. */
function ofInput({ program, words, redirects, upstream }: RiskyCall): readonly Finding[] {
  if (upstream.length === 0 && !redirects.some(({ operator }) => operator.startsWith('<'))) return [];
  if (isAmong(program, takingInput) || words.some(({ text }) => program === 'openssl' && text === 's_client'))
    return [finding('upload', program)];
  if (program === 'crontab' && words.length === 0) return [finding('system_change', program)];
  const isRecursive = words.some(({ text }) => /^-[^-]*[rR]|^--r/.test(text));
  const isAnswered = upstream.some((command) => command.program === 'yes');
  return isAnswered && isRecursive && /^g?rm$/.test(program) ? [finding('recursive_deletion')] : [];
}

/** They send what they are given. */
const takingInput = 'nc ncat netcat socat ssh telnet websocat http https xh ftp sftp ncftp lftp smbclient';

/** What a program is told to do. With git it may follow options with values. */
function verbOf(program: string, words: readonly ShellWord[], operands: readonly ShellWord[]): string {
  if (program !== 'git') return operands[0]?.text ?? '';
  const takeValue = '-c -C --git-dir --work-tree --namespace --exec-path --config-env --super-prefix';
  const verb = words.find(({ text }, at) => !text.startsWith('-') && !isAmong(words[at - 1]?.text ?? '', takeValue));
  return verb?.text ?? '';
}

/** What the finding concerns, for people: paths, hosts, or the program. */
function concerned(kind: CommandKind, program: string, verb: string, words: readonly ShellWord[]): readonly string[] {
  const operands = operandsOf(words).map(({ text }) => text);
  const paths = operands.filter((text) => text !== everyFound && text !== '{}');
  if (/deletion/.test(kind)) {
    if (program === 'git' || interpreterOf(program) !== undefined) return [];
    if (program === 'find') return paths.slice(0, 1);
    return isAmong(program, withVerbs) ? paths.filter((text) => !deletionVerbs.test(text)) : paths;
  }
  if (kind === 'permission_change') return paths.slice(1);
  if (kind === 'process_ending') return paths;
  if (kind === 'writing') {
    if (isAmong(program, 'cp mv ln install rsync scp')) return paths.slice(-1);
    const named = valuesOf(words, 'o', 'output').map(({ text }) => text);
    if (named.length > 0) return named;
    return isAmong(program, 'tee touch mkdir truncate patch sponge') ? paths : [program];
  }
  if (kind === 'network' || kind === 'upload') return [addressed(program, words, operands) ?? program];
  const isTool = isAmong(program, 'npm pnpm yarn bun cargo go docker podman git pip pip3 uv poetry');
  return [kind === 'hidden_code' && isTool && verb !== '' ? `${program} ${verb}` : program];
}

const withVerbs = 'docker podman kubectl gsutil gcloud aws az s3cmd gh glab rclone terraform gio';
const deletionVerbs =
  anyOf(`rm rmi rb rmdirs? del delete deletefile remove prune purge cleanup destroy down kill stop trash
  system volume image container network builder repo release s3 storage ns pods? deploy(?:ment)?`);

/** The host that a command talks to; for git the whole URL, without credentials. */
function addressed(program: string, words: readonly ShellWord[], operands: readonly string[]): string | undefined {
  const found = (pattern: RegExp) => words.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []).at(-1);
  if (program === 'git') {
    const url = found(/^([a-z][a-z0-9+.-]*:\/\/.+)/i);
    return url?.replace(/\/\/[^/?#\s]*@/, '//') ?? operands[1];
  }
  const host = found(/^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/?#:\s]+)/i);
  if (host !== undefined) return host;
  if (isAmong(program, 'scp rsync')) return found(/^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/);
  const name = operands.find((text) => /^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?$/.test(text));
  return name?.replace(/^.*@/, '').split('/', 1)[0];
}

/** Whether it changes a file whose path is known only at run time. Arrays, `$1` and what `read` sets are not followed. */
export function writesAnywhere({ program, words, redirects }: RiskyCall): boolean {
  const targets = redirects.flatMap(({ operator, target }) => (operator.startsWith('<') ? [] : [target]));
  const changed = [...targets, ...touched(program, words, operandsOf(words))];
  return changed.some(({ filled, beginning }) => filled === 'open' && beginning === '');
}

/** The operands that a command changes. */
function touched(program: string, words: readonly ShellWord[], operands: readonly ShellWord[]): readonly ShellWord[] {
  if (program === 'tar') return valuesOf(words, 'C', 'directory');
  if (program === 'unzip') return valuesOf(words, 'd');
  if (program === 'curl') return valuesOf(words, 'o', 'output', 'output-dir');
  if (program === 'wget')
    return [...valuesOf(words, 'O', 'output-document'), ...valuesOf(words, 'P', 'directory-prefix')];
  if (isAmong(program, 'sed perl'))
    return words.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text)) ? operands : [];
  if (program === 'dd')
    return words.flatMap((word) => (word.text.startsWith('of=') ? [{ ...word, text: word.text.slice(3) }] : []));
  const changesLast = isAmong(program, 'cp install ln rsync scp');
  const all = 'mv tee touch mkdir truncate chmod chown chgrp chattr setfacl patch sponge rm unlink rmdir shred';
  if (!changesLast && !isAmong(program, all)) return [];
  return [...(changesLast ? operands.slice(-1) : operands), ...valuesOf(words, 't', 'target-directory')];
}
