//! Which addresses a host that the manifest did not fix may resolve to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// True for an address of the public Internet: unicast, globally reachable by the IANA special-purpose
/// registries (RFC 6890), and no cloud's metadata service. IPv6 forms that carry an IPv4 address
/// (mapped, NAT64, 6to4) are judged by it; those that hide it or are obsolete (Teredo,
/// IPv4-compatible, local-use NAT64) are refused.
pub(super) fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_global_v4(v4),
        IpAddr::V6(v6) => is_global_v6(v6),
    }
}

fn is_global_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127, _, _)                  // this network, private, loopback
            | (100, 64..=127, _)              // shared by carriers (RFC 6598); 100.100.100.200 is metadata
            | (169, 254, _)                   // link-local; 169.254.169.254 is metadata
            | (172, 16..=31, _)               // private
            | (192, 0, 0 | 2)                 // protocol assignments; documentation
            | (192, 88, 99)                   // 6to4 relays (RFC 7526)
            | (192, 168, _)                   // private
            | (198, 18..=19, _)               // benchmarks (RFC 2544)
            | (198, 51, 100)                  // documentation
            | (203, 0, 113)                   // documentation
            | (224..=255, _, _) // multicast, reserved, broadcast
    );
    // Azure's in-machine service answers at an address that looks public.
    !special && address != Ipv4Addr::new(168, 63, 129, 16)
}

fn is_global_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let [hi, lo] = [g.to_be_bytes(), h.to_be_bytes()];
    let last = Ipv4Addr::new(hi[0], hi[1], lo[0], lo[1]);
    match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0xffff) => is_global_v4(last),
        (0x64, 0xff9b, 0, 0, 0, 0) => is_global_v4(last),
        (0x2002, _, _, _, _, _) => {
            let [hi, lo] = [b.to_be_bytes(), c.to_be_bytes()];
            is_global_v4(Ipv4Addr::new(hi[0], hi[1], lo[0], lo[1]))
        }
        (0x2001, 0..=0x01ff, ..) => false, // protocol assignments: Teredo, benchmarks, ORCHID
        (0x2001, 0x0db8, ..) => false,     // documentation
        (0x3fff, 0..=0x0fff, ..) => false, // documentation (RFC 9637)
        // Global unicast is 2000::/3; loopback, unique local, link-local and multicast lie outside.
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn global(text: &str) -> bool {
        is_global(text.parse().expect("an address"))
    }

    #[test]
    fn public_addresses_are_global() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.88.98.1",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2a00:1450:4001::200e",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
        ] {
            assert!(global(text), "{text}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:8.8.8.8",
            "64:ff9b::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a9fe:a9fe::1",
            "2002:c0a8:101::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!global(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn forms_that_carry_ipv4_are_judged_by_it(bits: u32) {
            let v4 = Ipv4Addr::from(bits);
            let [a, b] = [(bits >> 16) as u16, bits as u16];
            let expected = is_global(v4.into());
            prop_assert_eq!(is_global(v4.to_ipv6_mapped().into()), expected);
            prop_assert_eq!(is_global(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a, b).into()), expected);
            prop_assert_eq!(is_global(Ipv6Addr::new(0x2002, a, b, 0, 0, 0, 0, 1).into()), expected);
            prop_assert!(!is_global(v4.to_ipv6_compatible().into()));
        }

        #[test]
        fn std_agrees_on_what_it_knows(bits: u32) {
            let v4 = Ipv4Addr::from(bits);
            if v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast()
                || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified() {
                prop_assert!(!is_global(v4.into()));
            }
        }
    }
}
