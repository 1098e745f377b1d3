import java.io.FileInputStream;
import java.net.InetAddress;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.CertificatePinner;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Asks OkHttp with the pins of an exported class, which is on the class path. Each argument is a question, each line
 * of output its answer:
 *
 * <p>"get ANCHOR HOST PORT" connects to loopback under the host's name: "allowed", "blocked" by the pins, "untrusted".
 *
 * <p>"check HOST FILE" asks the pinner about a chain, without a connection: "allowed" or "blocked".
 */
public final class Ask {
    public static void main(String[] questions) throws Exception {
        CertificatePinner pinner;
        try {
            pinner = pinner(Class.forName(System.getProperty("pins")));
        } catch (ExceptionInInitializerError e) {
            System.out.println(e.getCause().getMessage());
            return;
        }
        for (String question : questions) {
            String[] words = question.split(" ");
            if (words[0].equals("get")) {
                System.out.println(get(pinner, words[1], words[2], words[3]));
            } else {
                System.out.println(check(pinner, words[1], chain(words[2])));
            }
        }
        System.exit(0);
    }

    private static CertificatePinner pinner(Class<?> pins) throws Exception {
        try {
            return (CertificatePinner) pins.getField("CERTIFICATE_PINNER").get(null);
        } catch (NoSuchFieldException e) {
            Object instance = pins.getField("INSTANCE").get(null);
            return (CertificatePinner) pins.getMethod("getCertificatePinner").invoke(instance);
        }
    }

    private static String check(CertificatePinner pinner, String host, List<Certificate> chain) {
        try {
            pinner.check(host, chain);
            return "allowed";
        } catch (SSLPeerUnverifiedException e) {
            return "blocked";
        }
    }

    private static String get(CertificatePinner pinner, String anchor, String host, String port) throws Exception {
        KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
        anchors.load(null, null);
        anchors.setCertificateEntry("anchor", chain(anchor).get(0));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(anchors);
        X509TrustManager manager = (X509TrustManager) factory.getTrustManagers()[0];
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new X509TrustManager[] {manager}, null);
        OkHttpClient client = new OkHttpClient.Builder()
                .sslSocketFactory(context.getSocketFactory(), manager)
                .dns(name -> Collections.singletonList(InetAddress.getByName("127.0.0.1")))
                .certificatePinner(pinner)
                .build();
        String address = "https://" + host + ":" + port + "/";
        try (Response response = client.newCall(new Request.Builder().url(address).build()).execute()) {
            return response.isSuccessful() ? "allowed" : "status " + response.code();
        } catch (SSLPeerUnverifiedException e) {
            return e.getMessage().startsWith("Certificate pinning failure!") ? "blocked" : "misnamed";
        } catch (SSLHandshakeException e) {
            return "untrusted";
        }
    }

    private static List<Certificate> chain(String path) throws Exception {
        try (FileInputStream file = new FileInputStream(path)) {
            return new ArrayList<>(CertificateFactory.getInstance("X.509").generateCertificates(file));
        }
    }
}
