import { describe, expect, it } from 'vitest';
import { candidatesForRoot, commandAs, mappedAccount } from './account.ts';

const root = { name: 'root', uid: 0, gid: 0 };
const bob = { name: 'bob', uid: 1001, gid: 100 };
const postgres = { name: 'postgres', uid: 114, gid: 120 };
const nobody = { name: 'nobody', uid: 65534, gid: 65534 };

describe('the account PostgreSQL runs under when root starts it', () => {
  const kinds = (owners: { uid: number; gid: number }[], entries = [root, bob, postgres, nobody]) =>
    candidatesForRoot(owners, entries).map((account) => (account.kind === 'other' ? account.name : account.kind));

  it.each([
    { folder: 'of root, in folders of root', owners: [root], expected: ['mapped', 'postgres', 'nobody'] },
    { folder: 'of bob', owners: [bob, root], expected: ['bob', 'mapped', 'postgres', 'nobody'] },
    { folder: 'of root, in a folder of bob', owners: [root, bob], expected: ['bob', 'mapped', 'postgres', 'nobody'] },
  ])('tries $expected for a folder $folder', ({ owners, expected }) => {
    expect(kinds(owners)).toEqual(expected);
  });

  it('takes the owner by number when the system has no name for it', () => {
    expect(candidatesForRoot([{ uid: 4242, gid: 7 }], [root])[0]).toEqual({
      kind: 'other',
      uid: 4242,
      gid: 7,
      name: 'user 4242',
    });
  });

  it('is never root itself, whatever the user list calls it', () => {
    const accounts = candidatesForRoot([root], [{ name: 'nobody', uid: 0, gid: 0 }]);
    expect(accounts.filter((account) => account.kind === 'other')).toEqual([]);
  });

  it.each([
    { entries: [root, nobody, { name: 'node', uid: 1000, gid: 1000 }], uid: 1000 },
    { entries: [root, postgres, nobody], uid: 65534 },
    { entries: [root, postgres], uid: 114 },
    { entries: [], uid: 65534 },
  ])('is seen inside a namespace as user $uid, who has a name if any has', ({ entries, uid }) => {
    expect(mappedAccount(entries).insideUid).toBe(uid);
  });

  it('starts a mapped program through unshare, and another user by the system itself', () => {
    expect(commandAs({ kind: 'mapped', insideUid: 1000, insideGid: 1000 }, '/bin/x', ['-y'])).toEqual({
      program: 'unshare',
      arguments: ['--user', '--map-user=1000', '--map-group=1000', '/bin/x', '-y'],
      options: {},
    });
    expect(commandAs({ kind: 'other', ...bob }, '/bin/x', ['-y'])).toEqual({
      program: '/bin/x',
      arguments: ['-y'],
      options: { uid: 1001, gid: 100 },
    });
  });
});
