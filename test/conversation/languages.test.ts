import { describe, test } from 'vitest';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { languageWords } from '../../src/conversation/commands/language/words.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { anything, sayingOnly } from '../support/saying.ts';

const english = languageWords.en.held({ source: 'machine' });

describe('the language that somebody is spoken to in', () => {
  test('is the one that they set, after a restart too, until they forget it', async () => {
    const setting = await daemonSetting();
    const { channel } = setting;
    await channel.ask('/language', english);
    await channel.ask('/language zh', languageWords.zh.set);
    await setting.restart();
    await channel.ask('/language', languageWords.zh.held({ source: 'set' }));
    await channel.ask('/language off', languageWords.zh.forgotten);
    await channel.ask('/language', english);
  });

  test('is set under every name of it; others are refused in words', async () => {
    const { channel } = await daemonSetting();
    await channel.ask('/language 中文', languageWords.zh.set);
    await channel.ask('/language English', languageWords.en.set);
    await channel.ask('/language zh_CN', languageWords.zh.set);
    await channel.ask('/language Deutsch', languageWords.zh.unknown);
  });

  test('is the same for all accounts of a person', async () => {
    const { channel } = await daemonSetting({
      config: { people: { ada: ['test:ada', 'test:ada2'] } },
      allowFrom: ['ada2'],
    });
    await channel.ask('/language zh', languageWords.zh.set);
    await channel.ask('/language', languageWords.zh.held({ source: 'set' }), { by: 'ada2' });
    await channel.ask('/language off', languageWords.zh.forgotten, { by: 'ada2' });
    await channel.ask('/language', english);
  });

  test('is that of their client, which comes before what they write', async () => {
    const setting = await daemonSetting();
    const { channel } = setting;
    await channel.ask('/language', languageWords.zh.held({ source: 'platform' }), { language: 'zh-TW' });
    await setting.restart();
    await channel.ask('What is the weather like?', 'echo');
    await channel.ask('/language', languageWords.zh.held({ source: 'platform' }));
    await channel.ask('/language', languageWords.en.held({ source: 'platform' }), { language: 'en-GB' });
  });

  test('is the one that they write in: their first sentence says it, and only the second in another one in a row changes it', async () => {
    const setting = await daemonSetting();
    const { channel } = setting;
    await channel.ask('帮我看一下明天的天气', 'echo');
    await channel.ask('/language', languageWords.zh.held({ source: 'written' }));
    await channel.ask('What does it say in this text?', 'echo');
    await channel.ask('ok thanks', 'echo');
    await channel.ask('好的，明天见吧', 'echo');
    await channel.ask('What does it say in that one?', 'echo');
    await setting.restart();
    await channel.ask('/language', languageWords.zh.held({ source: 'written' }));
    await channel.ask('Let us go on in English.', 'echo');
    await channel.ask('This is another sentence.', 'echo');
    await channel.ask('/language', languageWords.en.held({ source: 'written' }));
    await setting.restart();
    await channel.ask('/language', languageWords.en.held({ source: 'written' }));
  });

  test('is that of the config if nothing else is known', async () => {
    const { channel } = await daemonSetting({ config: { language: 'zh' } });
    await channel.ask('/language', languageWords.zh.held({ source: 'config' }));
    await channel.ask('What is the weather like?', 'echo');
    await channel.ask('/language', languageWords.en.held({ source: 'written' }));
  });

  test('is their own for what they ask for in a group', async () => {
    const { channel } = await daemonSetting({ allowFrom: ['bob'] });
    await channel.ask('/language zh', languageWords.zh.set, { in: group, at: 'test:team' });
    await channel.ask('/language', languageWords.zh.held({ source: 'set' }), { in: group, at: 'test:team' });
    await channel.ask('/language', english, { in: group, at: 'test:team', by: 'bob' });
  });
});

test('a stranger is told in the language of their app that they may not talk here, and in which way they are let in', async () => {
  const { channel } = await daemonSetting({ config: { language: 'zh' } });
  const facts = { id: '`test:eve`', command: `\`/pair ${anything}\``, milliseconds: 3_600_000 };
  const { text } = await channel.ask('hello', sayingOnly(strangerWords.en.unknownWithCode(facts)), {
    by: 'eve',
    at: 'test:eve',
    language: 'en-GB',
  });
  await channel.say(/\/pair [a-z0-9]+/.exec(text)?.[0] ?? '');
  await channel.sees(strangerWords.zh.welcome, 'test:eve');
});
