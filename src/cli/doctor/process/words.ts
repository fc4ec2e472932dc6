import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

/** What `keyturn doctor` says of the process that runs, and of what it lives in. */
export const processWords = catalogue({
  en: {
    modelSilent: {
      what: ({ name, why }: NamedFault) => `The model ${name} of the Keyturn that runs does not answer: ${why}`,
      why: () => 'Messages wait without an answer until it does.',
      mend: () =>
        `What is said below about this model mends it, if anything is; ${ownCommand()} doctor model tries it.`,
    },
    undelivered: {
      what: ({ count }: { readonly count: number }) => `${count} messages wait to be sent.`,
      why: () => 'A platform does not take them: people see no answer.',
      mend: () =>
        `${ownCommand()} status shows the channel that fails, and why; ${ownCommand()} logs --level warn has more.`,
    },
    unclaimed: {
      what: () => 'Nobody owns this Keyturn yet.',
      why: () => 'Nobody can allow anything, and whoever learns the code first becomes the owner.',
      mend: () => 'Send your bot the /claim line of its first lines; or write your id into owners in the config.',
    },
    olderConfig: {
      what: () => 'The file of the config has a fault, so the Keyturn that runs holds an older one.',
      why: () => 'Your last edit is not in force, and a restart may fail.',
      mend: () => `${ownCommand()} config check tells where; ${ownCommand()} config rollback goes back to what runs.`,
    },
    otherConfig: {
      what: ({ keys }: Keys) => `The Keyturn that runs holds another config: ${keys.slice(0, 5).join(', ')}.`,
      why: () => 'Your last edit is not in force there, or its variables differ from those of this terminal.',
      mend: () => `${ownCommand()} config diff shows it; kill -HUP the process reads the file again.`,
    },
    needsRestart: {
      what: ({ keys }: Keys) => `A restart is needed for ${keys.join(', ')}.`,
      why: () => 'The Keyturn that runs still uses the former values.',
      mend: () => 'Restart it: systemctl --user restart keyturn, or docker compose up -d.',
    },

    userRight: 'a user of its own, and a known time zone',
    asRoot: {
      what: () => 'This is root.',
      why: () => 'A command without a sandbox could do everything here, and limits of processes do not apply to root.',
      mend: () => 'Run Keyturn as a user of its own: useradd --system keyturn, and User=keyturn in its service.',
    },
    unknownZone: {
      what: ({ zone }: { readonly zone: string }) => `The variable TZ names no time zone: ${zone}`,
      why: () => 'Reminders and times of day are in UTC, not in yours.',
      mend: () => 'timedatectl list-timezones has the names, such as Europe/Berlin or Asia/Shanghai.',
    },

    allThere: 'the programs, files and ports of the config are there',
    named: {
      what: ({ key, fault }: NamedThing) => `${key}: ${fault}`,
      why: () => 'What needs it does not work; the rest does.',
      mend: ({ key }: NamedThing) =>
        `Put it there, or correct ${key} in the config: ${ownCommand()} config check has the line.`,
    },
  },
  zh: {
    modelSilent: {
      what: ({ name, why }) => `正在运行的 Keyturn 的模型 ${name} 没有回答：${why}`,
      why: () => '在它恢复之前，消息得不到回答。',
      mend: () => `下面对这个模型的说明如果有，就照它修复；${ownCommand()} doctor model 可以试它。`,
    },
    undelivered: {
      what: ({ count }) => `有 ${count} 条消息等待发送。`,
      why: () => '平台不接收：人们看不到回答。',
      mend: () => `${ownCommand()} status 显示哪个渠道有问题和原因；${ownCommand()} logs --level warn 有更多。`,
    },
    unclaimed: {
      what: () => '这个 Keyturn 还没有所有者。',
      why: () => '没有人能批准任何事，而且谁先拿到认领码，谁就成为所有者。',
      mend: () => '把启动时显示的 /claim 一行发给你的机器人；或把你的 id 写进配置的 owners。',
    },
    olderConfig: {
      what: () => '配置文件有错误，正在运行的 Keyturn 用的是较早的配置。',
      why: () => '你最后一次修改没有生效，重启可能失败。',
      mend: () => `${ownCommand()} config check 指出位置；${ownCommand()} config rollback 恢复到正在运行的配置。`,
    },
    otherConfig: {
      what: ({ keys }) => `正在运行的 Keyturn 用的是另一份配置：${keys.slice(0, 5).join('、')}。`,
      why: () => '你最后一次修改在那里没有生效，或者它的变量与这个终端的不同。',
      mend: () => `${ownCommand()} config diff 显示不同之处；对进程执行 kill -HUP 会重新读取文件。`,
    },
    needsRestart: {
      what: ({ keys }) => `${keys.join('、')} 需要重启才生效。`,
      why: () => '正在运行的 Keyturn 仍在用以前的值。',
      mend: () => '重启它：systemctl --user restart keyturn，或 docker compose up -d。',
    },

    userRight: '有单独的用户，时区可识别',
    asRoot: {
      what: () => '当前是 root。',
      why: () => '没有沙箱的命令在这里什么都能做，进程数限制对 root 也不起作用。',
      mend: () => '给 Keyturn 一个单独的用户：useradd --system keyturn，并在服务中写 User=keyturn。',
    },
    unknownZone: {
      what: ({ zone }) => `变量 TZ 不是时区：${zone}`,
      why: () => '提醒和时间会按 UTC，而不是你的时区。',
      mend: () => 'timedatectl list-timezones 列出名字，例如 Europe/Berlin 或 Asia/Shanghai。',
    },

    allThere: '配置中的程序、文件和端口都在',
    named: {
      what: ({ key, fault }) => `${key}：${fault}`,
      why: () => '需要它的部分无法工作；其余正常。',
      mend: ({ key }) => `把它放到那里，或改正配置中的 ${key}：${ownCommand()} config check 指出行号。`,
    },
  },
});

interface NamedFault {
  readonly name: string;
  readonly why: string;
}

interface Keys {
  readonly keys: readonly string[];
}

interface NamedThing {
  readonly key: string;
  readonly fault: string;
}
