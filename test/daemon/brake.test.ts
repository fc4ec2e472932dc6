import { describe, expect, test } from 'vitest';
import { peopleWords } from '../../src/conversation/commands/people/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { healthWords } from '../../src/conversation/health/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { storageWords } from '../../src/store/words.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { askedSetting, deploySetting } from '../engine/deploy-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';
import { foreignLock, type StorageTrouble, storageTroubles } from '../support/storage-troubles.ts';
import { waitUntil } from '../support/wait-for.ts';

type Setting = Awaited<ReturnType<typeof deploySetting>>;

const { storedNow, revoked } = commandWords.en;
const { deniedUnstored, notStoredYet, toastDeniedBefore } = engineWords.en;

/** The trouble ends, and time passes until the query finds rows. */
async function storedAfter(trouble: StorageTrouble, { setting, clock }: Setting, sql: string): Promise<void> {
  trouble.end();
  await waitUntil(() => setting.rows(sql).length > 0, { meanwhile: () => clock.advance(1_000) });
}

/** Says or presses something that cannot be stored now. Resolves once it was refused to the platform. */
async function refused(deed: Promise<unknown>): Promise<void> {
  await expect(deed).rejects.toThrow();
}

describe.each(storageTroubles)('while %s', (_what, troubleIn) => {
  test.each(['/stop', '/new'])(
    '%s ends what runs at once, says that it is not stored yet, and is stored later',
    async (word) => {
      const order: string[] = [];
      const slow = new RecordingTool('slow', 'memory', async (what, context) => {
        const output = await untilStopped(what, context);
        order.push('ended');
        return output;
      });
      const around = await deploySetting({}, slow);
      const { setting, model, channel } = around;
      model.next([call('slow', { what: 'work' })]);
      await channel.say('work');
      await slow.ran(1);
      const trouble = troubleIn(setting.folder);
      await refused(
        channel.say(word, { key: 'k1' }).catch((error: unknown) => {
          order.push('refused');
          throw error;
        }),
      );
      expect(order).toEqual(['ended', 'refused']);
      const held = word === '/stop' ? commandWords.en.stopHeld : commandWords.en.newHeld;
      const notYet = notStoredYet({ held, why: trouble.brief });
      await channel.sees(notYet);
      // Delivered again, it is the same one.
      await expect(channel.say(word, { key: 'k1' })).rejects.toThrow('tried again');
      await storedAfter(
        trouble,
        around,
        `SELECT 1 FROM turns, calls WHERE turns.kind = 'closing' AND calls.state = 'done'`,
      );
      await channel.seesAtRest(storedNow({ answer: '' }));
      expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'cancelled' }]);
      expect(setting.rows(`SELECT reason FROM turns WHERE kind = 'closing'`)).toEqual([{ reason: 'stopped' }]);
      expect(model.requests).toHaveLength(1);
      expect(channel.textsIn('test:ada').filter((text) => text.includes(notYet))).toHaveLength(1);

      model.next([call('slow', { what: 'more' })]);
      await channel.say('more');
      await slow.ran(2);
      await channel.say(word, { key: 'k1' });
      expect(order).toEqual(['ended', 'refused']);
      await channel.sayAtRest('/stop');
    },
  );

  test('nothing begins in a conversation whose /stop is not stored yet', async () => {
    const slow = new RecordingTool('slow', 'memory', untilStopped);
    const around = await deploySetting({}, slow);
    const { setting, model, channel } = around;
    model.next([call('slow', { what: 'work' })]);
    await channel.say('work');
    await slow.ran(1);
    const trouble = troubleIn(setting.folder);
    await refused(channel.say('/stop'));
    trouble.end();
    model.next('an answer to it');
    // Stored before the /stop, it waits until that is stored too, and is answered then.
    await channel.say('and now?');
    await storedAfter(trouble, around, `SELECT 1 FROM turns WHERE kind = 'closing'`);
    await channel.sees(storedNow({ answer: commandWords.en.stopped({ cancelled: 0 }) }));
    await channel.seesAtRest('an answer to it');
    expect(model.requests).toHaveLength(2);
  });

  test('a denial holds: who approves after it is told so, and the call never runs', async () => {
    const around = await askedSetting();
    const { setting, channel, deploy, card } = around;
    await channel.whenIdle();
    const trouble = troubleIn(setting.folder);
    await refused(channel.press(buttonOf(card, 'Deny')));
    await channel.sees(notStoredYet({ held: deniedUnstored, why: trouble.brief }));
    trouble.end();
    expect(await channel.press(card)).toEqual({ notice: toastDeniedBefore });
    await storedAfter(trouble, around, `SELECT 1 FROM approvals WHERE state = 'denied'`);
    await channel.whenIdle();
    expect(deploy.executed).toEqual([]);
  });

  test('a permission that was revoked opens nothing any more', async () => {
    const around = await askedSetting({ answers: ['deployed'] });
    const { setting, model, channel, deploy, card } = around;
    await channel.pressToSee(buttonOf(card, 'Always'), 'deployed');
    await channel.whenIdle();
    const trouble = troubleIn(setting.folder);
    await refused(channel.say('/revoke all'));
    await channel.sees(notStoredYet({ held: revoked({ count: 1 }), why: trouble.brief }));
    trouble.end();
    model.next([call('deploy', { what: 'site' })]);
    await channel.cardFor('deploy the site');
    expect(deploy.executed).toEqual(['site']);
    await channel.ask('/grants', 'No saved permissions');
    await storedAfter(trouble, around, 'SELECT 1 FROM grants WHERE revoked_at IS NOT NULL');
    await channel.sees(storedNow({ answer: revoked({ count: 1 }) }));
  });

  test('a person who was unpaired may no longer talk', async () => {
    const around = await deploySetting();
    const { setting, channel } = around;
    const eve = { by: 'eve' };
    await channel.say('hello', eve);
    const [{ code } = { code: '' }] = setting.rows('SELECT code FROM pairing_codes');
    await channel.ask(`/pair ${code}`, 'Let in');
    const trouble = troubleIn(setting.folder);
    await refused(channel.say('/unpair test:eve'));
    const held = peopleWords.en.unpaired({ person: '`test:eve` (`Eve`)', isNamed: false, isLinkedIn: false });
    await channel.sees(notStoredYet({ held, why: trouble.brief }));
    trouble.end();
    await channel.say('hello again', eve);
    expect(setting.rows(`SELECT 1 FROM inbox WHERE text = 'hello again'`)).toEqual([]);
    await storedAfter(trouble, around, `SELECT 1 FROM audit WHERE kind = 'person-unpaired'`);
    expect(setting.rows('SELECT 1 FROM paired')).toEqual([]);
  });
});

test('an owner is told that another program has the lock, /status says so, and both that it is over', async () => {
  const { setting, channel, clock } = await deploySetting();
  await channel.askAtRest('hello', 'echo: hello');
  const trouble = foreignLock(setting.folder);
  await refused(channel.say('one'));
  await channel.sees(storageWords.en.cannotStoreLocked);
  await channel.ask('/status', /is up for[\s\S]*another program has locked the database/);
  trouble.end();
  await waitUntil(() => clock.waits.filter((wait) => wait === 30_000).length > 0);
  await channel.ask('two', 'echo: two');
  clock.advance(30_000);
  await channel.sees(healthWords.en.storesAgain);
});

test('what runs when another program takes the lock waits for it, and nothing of it is lost', async () => {
  let trouble: StorageTrouble | undefined;
  const look = new RecordingTool('look', 'memory', (what) => {
    trouble = foreignLock(setting.folder);
    return llmOnly(`seen: ${what}`);
  });
  const { setting, model, channel } = await deploySetting({}, look);
  model.next([call('look', { what: 'here' })], 'I have looked.');
  await channel.say('look');
  await channel.sees(storageWords.en.cannotStoreLocked);
  trouble?.end();
  await channel.seesAtRest('I have looked.');
  expect(look.executed).toEqual(['here']);
  expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'success' }]);
  expect(channel.textsIn('test:ada').join()).not.toContain('went wrong');
});
