import { describe, expect, it } from "vitest";
import { isPrivateHost } from "./private-address.js";

const hostOf = (url: string) => new URL(url).hostname;

describe("isPrivateHost", () => {
  it.each([
    "http://localhost/",
    "http://LOCALHOST./",
    "http://api.localhost/",
    "http://printer/",
    "http://nas.local/",
    "http://metadata.google.internal/",
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://169.254.169.254/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[fc00::1]/",
    "http://[fd12:3456::1]/",
    "http://[fe80::1]/",
    "http://[ff02::1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
  ])("refuses %s", (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(true);
  });

  it.each([
    "https://files.example.com/",
    "https://8.8.8.8/",
    "https://172.32.0.1/",
    "https://192.169.0.1/",
    "https://100.128.0.1/",
    "https://[2606:4700:4700::1111]/",
    "https://[::ffff:8.8.8.8]/",
    "https://localhost.example.com/",
  ])("lets %s pass", (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(false);
  });
});

describe("the edges of private ranges", () => {
  it.each(
    `0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255 169.254.0.0
     169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.1 192.0.2.1 192.168.0.0 192.168.255.255 198.18.0.0
     198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.0 240.0.0.1 255.255.255.255
     [fc00::] [fdff:ffff::1] [fe80::] [febf::1] [fec0::1] [feff::1] [ff00::] [ffff::1] [64:ff9b::1] [2002::1] [2001::1]
     [2001:0:1::1] [::ffff:192.168.0.1] [::ffff:172.16.0.1] [::169.254.169.254] [0:0:0:0:0:0:0:1]
     a.localhost b.local c.internal d.home.arpa d.home.arpa. localhost. intranet`.split(/\s+/),
  )("%s is inside", (host) => {
    expect(isPrivateHost(hostOf(`http://${host}/`))).toBe(true);
  });

  it.each(
    `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 99.64.0.1 101.64.0.1 126.255.255.255 128.0.0.0
     169.253.255.255 169.255.0.0 168.254.0.1 170.254.0.1 172.15.255.255 172.32.0.0 171.16.0.1 173.16.0.1 192.0.1.1 192.0.3.1
     192.1.0.1 192.1.2.1 192.167.255.255 192.169.0.0 191.168.0.1 193.168.0.1 191.0.2.1 198.17.255.255 198.20.0.0 197.18.0.1
     199.19.0.1 198.51.99.1 198.51.101.1 198.50.100.1 197.51.100.1 203.0.112.1 203.0.114.1 203.1.113.1 202.0.113.1
     223.255.255.255 [fbff::1] [fe00::1] [fe7f::1] [64:ff9a::1] [65:ff9b::1] [2001:4860::1] [2003::1] [1::1] [0:0:0:0:0:1::1]
     [::1:ffff:10.0.0.1] [0:0:0:0:1:ffff:a00:1] [::ffff:8.8.8.8] [2606:4700::10.0.0.1]
     localhost.example.com internal.example.com home.arpa.example.com mylocal.com not.mylocalhost 10.0.0.1.example.com
     [1:2:3:4:5:6:7:8]`.split(/\s+/),
  )("%s is outside", (host) => {
    expect(isPrivateHost(hostOf(`http://${host}/`))).toBe(false);
  });
});
