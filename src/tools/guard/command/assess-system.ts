import type { Assessed } from './assessed.ts';
import { type Finding, finding } from './command-kind.ts';
import { isSystemPath } from './paths.ts';

/** Programs that change the system whatever they are told. */
const changers: ReadonlySet<string> = new Set(
  `apt-get aptitude dpkg-reconfigure yum dnf microdnf zypper pacman yay paru apk snap flatpak port emerge nix-env
  installer softwareupdate useradd userdel usermod adduser deluser addgroup delgroup groupadd groupdel groupmod
  gpasswd passwd chpasswd chage chsh chfn visudo vipw vigr update-rc.d chkconfig initctl launchctl umount swapon
  swapoff losetup cryptsetup fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard lvcreate lvremove lvresize
  lvextend pvcreate pvremove vgcreate vgremove vgreduce mdadm resize2fs tune2fs xfs_growfs fsck e2fsck badblocks
  hdparm insmod rmmod modprobe depmod kexec iptables ip6tables iptables-restore ip6tables-restore nft ufw
  firewall-cmd ipset ebtables arptables at batch anacron shutdown reboot halt poweroff init telinit setenforce
  setsebool chcon restorecon semanage update-grub grub-install grub-mkconfig update-initramfs mkinitcpio dracut
  efibootmgr nvram csrutil spctl update-alternatives ldconfig chroot pivot_root mknod ifup ifdown brctl route
  rfkill authconfig pam-auth-update loadkeys systemd-run nixos-rebuild do-release-upgrade`.split(/\s+/),
);

/** Programs that change the system unless they are told to look. */
const lookers: ReadonlyMap<string, RegExp> = new Map([
  ['apt', /^(?:list|search|show|depends|rdepends|policy|help)$/],
  ['brew', /^(?:list|ls|search|info|desc|outdated|config|doctor|deps|uses|help)$/],
  ['systemctl', /^(?:status|show|cat|help|is-\w+|list-[\w-]+|get-default)?$/],
  ['service', /^(?:--status-all)?$/],
  ['rc-service', /^$/],
  ['loginctl', /^(?:list-[\w-]+|show[\w-]*|[\w-]*status)?$/],
  ['hostnamectl', /^(?:status)?$/],
  ['timedatectl', /^(?:status|show|list-timezones|show-timesync|timesync-status)?$/],
  ['localectl', /^(?:status|list-[\w-]+)?$/],
  ['zfs', /^(?:list|get|diff)$/],
  ['zpool', /^(?:list|status|get|iostat|history)$/],
  ['apt-mark', /^show\w+$/],
  ['apt-key', /^(?:list|finger)$/],
  ['nmcli', /^(?:|general)$/],
  ['mount', /^$/],
  ['networkctl', /^(?:list|status)?$/],
]);

/** What changes the system: packages, users, services, disks, kernel, firewall, tasks, power, and its files. */
export function assessSystem(command: Assessed): readonly Finding[] {
  const { program, verb, options } = command;
  if (changesSystem(command)) return [finding('system_change', program)];
  if (program === 'sudo' || program === 'doas' || program === 'su' || program === 'pkexec' || program === 'runuser') {
    return [finding('privilege', program)];
  }
  const looked = lookers.get(program);
  if (looked !== undefined) return [finding(looked.test(verb) ? 'reading' : 'system_change', program)];
  const written = writtenOperands(command).filter(isSystemPath);
  const system = [
    ...written,
    ...options.operands.filter(({ text }) => program === 'dd' && /^of=\/dev\/(?!null)/.test(text)),
  ];
  return system.length === 0 ? [] : [finding('system_change', ...system.map(({ text }) => text))];
}

function changesSystem({ program, words, options, verb, hasInput }: Assessed): boolean {
  if (changers.has(program) || /^mkfs(?:\.|$)|^mkswap$|^fsck\./.test(program)) return true;
  switch (program) {
    case 'dpkg':
      return !options.hasLetter('lLsSpcI') && !options.hasName('list', 'listfiles', 'status', 'search', 'version');
    case 'rpm':
      return !options.hasLetter('qV') && !options.hasName('query', 'verify', 'version');
    case 'crontab':
      return !options.hasLetter('l') && (words.length > 0 || hasInput);
    case 'date':
      return options.hasLetter('s') || options.hasName('set') || /^\d/.test(verb);
    case 'hwclock':
      return words.length > 0 && !options.hasLetter('r') && !options.hasName('show');
    case 'hostname':
    case 'domainname':
      return options.operands.length > 0 || options.hasLetter('FB');
    case 'sysctl':
      return (
        options.hasLetter('wpf') ||
        options.hasName('write', 'load', 'system') ||
        words.some(({ text }) => text.includes('='))
      );
    case 'mount':
      return (
        options.hasLetter('aoBMRO') || options.hasName('all', 'options', 'bind', 'move', 'rbind', 'source', 'target')
      );
    case 'ip':
      return changesByIp(words);
    case 'ifconfig':
      return options.operands.length > 1;
    case 'dmesg':
      return options.hasLetter('cCDEn') || options.hasName('clear', 'console-level');
    case 'journalctl':
      return words.some(({ text }) => /^--(?:vacuum|rotate|flush|sync)/.test(text));
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return (
        (options.hasLetter('g') || options.hasName('global')) &&
        /^(?:i|in|install|add|rm|un\w*|remove|link|update)$/.test(verb)
      );
    default:
      return false;
  }
}

/** What it is told to do stands second, may be cut short, and is to look if it is not there. */
function changesByIp(words: Assessed['words']): boolean {
  const plain = words.filter(({ text }, index) => {
    return !text.startsWith('-') && !/^-(?:f|family|n|netns|l|loops|rc|rcvbuf)$/.test(words[index - 1]?.text ?? '');
  });
  const told = plain[1]?.text ?? 'show';
  // Of a link, this is short for "set".
  if (told === 's' && plain[0]?.text.startsWith('l') === true) return true;
  return (
    !/^(?:s(?:h(?:ow?)?)?|l(?:i(?:st?)?)?|ls|lst|g(?:et?)?|h(?:elp?)?)$/.test(told) ||
    words.some(({ text }) => /^-b(?:a|$)/.test(text))
  );
}

/** The operands that a command changes. */
function writtenOperands({ program, options, words }: Assessed): Assessed['words'] {
  const { operands } = options;
  switch (program) {
    case 'cp':
    case 'install':
    case 'ln':
    case 'rsync':
    case 'scp':
      return [...operands.slice(-1), ...targets(words)];
    case 'mv':
    case 'tee':
    case 'touch':
    case 'mkdir':
    case 'truncate':
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'chattr':
    case 'setfacl':
    case 'setcap':
    case 'patch':
    case 'sponge':
      return [...operands, ...targets(words)];
    case 'sed':
    case 'perl':
      return words.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text)) ? operands : [];
    case 'tar':
    case 'unzip':
      return words.filter((_, index) => /^-(?:[a-z]*C|d)$|^--directory$/.test(words[index - 1]?.text ?? ''));
    case 'curl':
    case 'wget':
      return words.filter((_, index) => /^-(?:\w*[oOP])$|^--output/.test(words[index - 1]?.text ?? ''));
    default:
      return [];
  }
}

/** `--target-directory=/etc` and `-t /etc`. */
function targets(words: Assessed['words']): Assessed['words'] {
  return words.flatMap((word, index) => {
    if (/^-\w*t$|^--target-d\w*$/.test(words[index - 1]?.text ?? '')) return [word];
    const value = /^(?:--target-d[a-z-]*=|-t(?=\/))(.*)$/.exec(word.text)?.[1];
    return value === undefined ? [] : [{ text: value, isKnown: word.isKnown, beginning: word.isKnown ? value : '' }];
  });
}
