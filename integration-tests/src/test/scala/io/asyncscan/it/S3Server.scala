// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.net.URI
import java.util.Properties
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.gaul.s3proxy.{AuthenticationType, BlobStores, S3Proxy}
import org.gaul.s3proxy.blobstore.{BlobStore, ForwardingBlobStore}
import org.gaul.s3proxy.blobstore.domain.{Blob, BlobMetadata}
import org.gaul.s3proxy.blobstore.options.{CreateContainerOptions, GetOptions}

/** One request for an object's bytes or metadata, as the server saw it. */
final case class S3Request(verb: String, key: String, ranges: Seq[String])

/** An S3 server in this JVM that checks signatures and keeps its objects in memory.
  *
  * It records what it serves, so that suites can count requests per object, and can hold GETs back, so that suites can
  * stop a query while its fetches are on their way.
  */
object S3Server {
  val accessKey = "it-access"
  val secretKey = "it-secret-never-to-be-shown"

  /** The bucket of the suites, and a second one whose connection pool has two connections. */
  val bucket = "parity"
  val narrowBucket = "parity-narrow"

  private val log = new ConcurrentLinkedQueue[S3Request]
  @volatile private var beforeGet: String => Unit = _ => ()

  private final class Recording(delegate: BlobStore) extends ForwardingBlobStore(delegate) {
    override def getBlob(container: String, key: String, options: GetOptions): Blob = {
      log.add(S3Request("GET", key, options.ranges.asScala.toSeq))
      beforeGet(key)
      super.getBlob(container, key, options)
    }

    override def blobMetadata(container: String, key: String): BlobMetadata = {
      log.add(S3Request("HEAD", key, Nil))
      super.blobMetadata(container, key)
    }
  }

  /** Started on first use; it runs for the life of the JVM, as the session does. */
  lazy val port: Int = {
    val store = BlobStores.create("transient-nio2", new Properties)
    val server = S3Proxy
      .builder()
      .blobStore(new Recording(store))
      .endpoint(URI.create("http://127.0.0.1:0"))
      .awsAuthentication(AuthenticationType.AWS_V4, accessKey, secretKey)
      .build()
    server.start()
    Seq(bucket, narrowBucket).foreach(store.createContainer(_, CreateContainerOptions.NONE))
    server.getPort
  }

  /** The Hadoop configuration that reaches this server. */
  def hadoopConf: Map[String, String] = Map(
    "fs.s3a.endpoint" -> s"http://127.0.0.1:$port",
    "fs.s3a.endpoint.region" -> "us-east-1",
    "fs.s3a.path.style.access" -> "true",
    "fs.s3a.connection.ssl.enabled" -> "false",
    "fs.s3a.access.key" -> accessKey,
    "fs.s3a.secret.key" -> secretKey,
    "fs.s3a.aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
    // A fault of the fixture fails a test at once: S3A's own defaults go on for minutes.
    "fs.s3a.attempts.maximum" -> "1",
    "fs.s3a.retry.limit" -> "1",
    "fs.s3a.fast.upload.buffer" -> "array",
    s"fs.s3a.bucket.$narrowBucket.connection.maximum" -> "2"
  )

  /** What was asked for while `body` ran. Suites run one at a time, so nothing else is in the log. */
  def recording[T](body: => T): (T, Seq[S3Request]) = {
    log.clear()
    val result = body
    (result, log.asScala.toSeq)
  }

  /** Runs `hook` on the server's thread before each GET is answered. */
  def withHook[T](hook: String => Unit)(body: => T): T = {
    beforeGet = hook
    try body
    finally beforeGet = _ => ()
  }
}
